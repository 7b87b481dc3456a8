"""What would lift a reason for which a call did not run on the device.

Reasons are texts for people, from many places; they are known by a part of their text. One
that is not known here is about this call's arguments, and says itself what to change.
"""

_REMEDIES = (
    ("no backend is selected", 'SKIMAGE_BACKENDS=gpu, or use_backends("gpu")'),
    ("backend is not selected", "name it in SKIMAGE_BACKENDS or use_backends"),
    ("taken only where it is named", "name it in SKIMAGE_BACKENDS or use_backends"),
    (
        "conversion of NumPy arrays is switched off",
        "unset SKIMAGE_GPU_CONVERT or use CuPy",
    ),
    ("cuCIM is not installed", "install the extra cuda12 or cuda13, which brings cuCIM"),
    ("CuPy is not installed", "install the extra cuda12 or cuda13, which brings CuPy"),
    ("CuPy cannot be imported", "a CuPy that fits the driver's CUDA; `status` shows both"),
    ("no CUDA device", "a GPU that nvidia-smi lists and CUDA_VISIBLE_DEVICES does not hide"),
    ("forked after the GPU", 'multiprocessing.set_start_method("spawn")'),
    ("not enough device memory", "smaller images, or memory that other programs hold"),
    ("there is no GPU version for it", "another dtype, as by skimage.util.img_as_float32"),
    ("the GPU takes NumPy arrays", "numpy.asarray(...) before the call"),
    ("no NumPy or CuPy array among", "give images as arrays"),
    ("makes a small array", 'use_backends("gpu", output="cupy") makes it there'),
)
# where it is as it should be, or nobody can change it yet
_AS_IT_IS = (
    ("pays off on the GPU from", "nothing: the CPU is faster at this size"),
    ("no GPU version of this function", "nothing yet: no GPU version"),
    ("no cuCIM version of this function", "the gpu backend, where it has a kernel"),
)


def remedy(reason) -> str:
    """What would lift `reason`, for a user."""
    for part, text in _REMEDIES + _AS_IT_IS:
        if part in reason:
            return text
    return "other arguments, as the reason says"


def can_be_changed(reason) -> bool:
    """Whether the user can do something about `reason`."""
    return not any(part in reason for part, _ in _AS_IT_IS)
