"""Our environment variables, read at every call without `os.environ`'s cost of encoding."""

import os

PREFIX = "SKIMAGE_GPU_"
VARIABLES = (
    "SKIMAGE_GPU_CONVERT",
    "SKIMAGE_GPU_DEVICES",
    "SKIMAGE_GPU_KERNELS",
    "SKIMAGE_GPU_MEMORY_LIMIT",
    "SKIMAGE_GPU_MIN_SIZE",
    "SKIMAGE_GPU_NOTIFY",
    "SKIMAGE_GPU_RESIDENT",
    "SKIMAGE_GPU_SIMULATOR",
)


def unknown_variables() -> list[str]:
    """What is wrong with variables that bear our prefix but are none of ours, in words."""
    told = []
    for name in os.environ:
        if name.startswith(PREFIX) and name not in VARIABLES:
            from difflib import get_close_matches

            close = get_close_matches(name, VARIABLES, n=1, cutoff=0.85)
            meant = f"; {close[0]} is meant?" if close else f"; there are {', '.join(VARIABLES)}"
            told.append(f"{name} is no variable of skimage-gpu-backend{meant}")
    return told


def reader(name: str):
    """Function that returns the variable's value now, or None.

    `os.environ` encodes the key and decodes the value on each access (about a
    microsecond, for several variables on each call); where its internal mapping is of
    the known form, the encoded key is looked up directly.
    """
    data = getattr(os.environ, "_data", None)
    if data is None or not hasattr(os.environ, "encodekey"):
        return lambda: os.environ.get(name)
    key, decode = os.environ.encodekey(name), os.environ.decodevalue

    def read():
        value = data.get(key)
        return None if value is None else decode(value)

    return read
