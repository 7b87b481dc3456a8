"""What may differ, by subject."""

from skimage_gpu_backend.catalog import spoken

from . import calls, digits, memory, not_finite
from .kind import Excuse

EXCUSES = (*digits.EXCUSES, *not_finite.EXCUSES, *memory.EXCUSES, *calls.EXCUSES)


def excuse(call, found, theirs, ours) -> Excuse | None:
    """The excuse for a difference, if there is one."""
    name = spoken(call.name)
    for known in EXCUSES:
        if known.concerns(name, found.kind) and known.applies(call, found, theirs, ours):
            return known
    return None
