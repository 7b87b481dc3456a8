"""Shared memory that a block has on every device without asking for more."""

_BLOCK = 48 * 1024  # bytes, static and dynamic ones together

# Static bytes of kernels that have dynamic shared memory too, of the specialization that has most.
STATIC = {
    "box_maxima": 4368,
    "clahe_maps_of_color": 1040,
    "clahe_maps_of_gray": 1040,
    "gabor": 16,
}


def most_dynamic(kernel: str) -> int:
    """Bytes of dynamic shared memory that a launch of `kernel` may ask for."""
    return _BLOCK - STATIC.get(kernel, 0)
