"""What would lift a reason for which a call did not run on the device.

Reasons are texts for people, from many places. Those about arguments and data say themselves what
to write instead, behind a semicolon. Those about settings and the machine, and those about which
nothing is to be done, are known by a part of their text; their remedies are the tables here, which
the page about fallbacks shows.
"""

import re
from typing import NamedTuple

from .. import availability


class Remedy(NamedTuple):
    """What to do about some reasons.

    Attributes
    ----------
    text : str
        What to do, for a user.
    parts : tuple of str
        A reason with one of these in it is meant.
    """

    text: str
    parts: tuple[str, ...]


SETTINGS = (
    Remedy('SKIMAGE_BACKENDS=gpu, or use_backends("gpu")', ("no backend is selected",)),
    Remedy(
        "name it in SKIMAGE_BACKENDS or use_backends(...)",
        ("backend is not selected", "taken only where it is named"),
    ),
    Remedy(
        "unset SKIMAGE_GPU_CONVERT, or give CuPy arrays",
        ("conversion of NumPy arrays is switched off",),
    ),
    Remedy('use_backends("gpu", output="cupy") makes it there', ("makes a small array",)),
    Remedy(
        "name gpu, too: it takes arrays that are on a GPU, and makes CuPy arrays",
        ("cpu takes NumPy arrays", "which the gpu backend makes"),
    ),
    Remedy("SKIMAGE_GPU_DEVICES=0,1 for two devices, or unset it", ("SKIMAGE_GPU_DEVICES",)),
)
MACHINE = (
    Remedy(
        "pip install cucim-cu12, or cucim-cu13 as CUDA's version is; for the simulator"
        " pip install --no-deps cucim-cu12",
        ("cuCIM is not installed",),
    ),
    Remedy("a version of scikit-image that cuCIM supports", ("does not support scikit-image",)),
    Remedy(
        'pip install "skimage-gpu-backend[cuda12]", or [cuda13] as CUDA\'s version is',
        ("CuPy is not installed",),
    ),
    Remedy(
        "install the driver of the GPU; without a GPU SKIMAGE_GPU_SIMULATOR=1 runs the kernels on"
        " the CPU, to try them, slowly",
        ("no NVIDIA driver",),
    ),
    Remedy("a newer driver, or an older CuPy: the extra cuda12", ("this CuPy needs a newer one",)),
    Remedy(
        "install a CuPy that fits the driver's CUDA; `status` shows both",
        ("CuPy cannot be imported",),
    ),
    Remedy(
        "check that `nvidia-smi` lists a GPU and CUDA_VISIBLE_DEVICES does not hide it",
        ("no CUDA device",),
    ),
    Remedy("a GPU of the Volta generation (2017) or a newer one", ("and the kernels need",)),
    Remedy(
        "install the extra cuda12 or cuda13, which brings CUDA's compiler",
        ("NVRTC, CUDA's compiler",),
    ),
    Remedy('multiprocessing.set_start_method("spawn")', ("forked after the GPU",)),
    Remedy("start the program anew; `dmesg` says more", ("lost to this process",)),
    Remedy(
        "smaller images, or end other programs that hold its memory", ("not enough device memory",)
    ),
    Remedy("install the release of cuCIM that the extras ask for", ("cuCIM cannot be used",)),
    Remedy(
        "install g++ or clang++, or name a compiler in CXX; on other systems use Linux",
        ("no C++ compiler on this machine", "on Linux only"),
    ),
    Remedy("report it to this package's authors, with the compiler's text", ("does not compile",)),
)
# where it is as it should be, or nobody can change it yet
AS_IT_IS = (
    Remedy("nothing: the CPU is faster at this size", ("pays off on the GPU from",)),
    Remedy("nothing, or a lower SKIMAGE_BACKENDS_MIN_SIZE", ("SKIMAGE_BACKENDS_MIN_SIZE is",)),
    Remedy(
        "nothing: the CPU is faster than the copies; in a chain, arrays that stay on the device",
        ("does not pay off on the GPU",),
    ),
    Remedy("nothing: scikit-image is faster at this size", ("with the cpu backend",)),
    Remedy("nothing yet: no kernel", ("no kernel for this function",)),
    Remedy(
        "select the gpu backend, which may have a kernel", ("no cuCIM version of this function",)
    ),
)
_ALL = SETTINGS + MACHINE + AS_IT_IS
_OWN = re.compile(r"; ((?:give|leave|use|nothing) [^;]*)")
UNKNOWN = "another value for what the reason names"


def remedy(reason) -> str:
    """What would lift `reason`, for a user."""
    found = _known(reason)
    if found in SETTINGS and availability.has_no_gpu():
        return "nothing: " + availability.no_device_because()
    return availability.advice(reason) or said(reason) or (found.text if found else UNKNOWN)


def said(reason) -> str:
    """What `reason` itself says to write instead, behind its semicolon; empty where nothing."""
    own = _OWN.search(reason)
    return own[1] if own else ""


def cause(reason) -> str:
    """`reason` without what it says to write instead, to stand beside its remedy."""
    return _OWN.sub("", reason, count=1)


def can_be_changed(reason) -> bool:
    """Whether the user can do something about `reason`."""
    own = said(reason)
    return not own.startswith("nothing") if own else _known(reason) not in AS_IT_IS


def _known(reason):
    return next((known for known in _ALL if any(part in reason for part in known.parts)), None)
