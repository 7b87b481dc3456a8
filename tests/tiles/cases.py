"""Calls of every function that has a reach, from the sweeps of the differential tests."""

import functools

from skimage_gpu_backend import functions
from skimage_gpu_backend.adapt.values import replace
from skimage_gpu_backend.trouble import Declined
from tests.differential.check import array, by_position
from tests.differential.inputs import PHOTO
from tests.differential.sweep import Case
from tests.differential.sweeps import SWEEPS

# Of functions whose standard call looks at all of the image: changes of it.
CUT = "cut"
INSTEAD = {
    "skimage.feature:hessian_matrix_det": {"approximate": False},
    "skimage.filters:frangi": {"gamma": 0.5},
    "skimage.filters:threshold_li": {"image": PHOTO.cast("uint16")},
    "skimage.filters.rank:windowed_histogram": {"n_bins": 256},
    "skimage.restoration:denoise_nl_means": {"fast_mode": False, "patch_distance": 2},
}


@functools.cache
def has_reach(name) -> bool:
    """Whether calls of the function run in tiles, some of them at least."""
    (sweep,) = (sweep for sweep in SWEEPS if sweep.name == name)
    return reach_of(Case(sweep, CUT, {**sweep.call, **INSTEAD.get(name, {})})) is not None


def reach_of(case):
    """What the plan of a call says of its reach; None where there is no plan."""
    arguments = {k: replace(v, array) for k, v in case.arguments.items()}
    try:
        return functions.plan(case.sweep.name, *by_position(case.sweep.name, arguments)).reach
    except Declined:
        return None


def cases():
    """All calls of functions that have a reach."""
    for sweep in SWEEPS:
        if not has_reach(sweep.name):
            continue
        if sweep.name in INSTEAD:
            yield Case(sweep, CUT, {**sweep.call, **INSTEAD[sweep.name]})
        yield from sweep.cases()


def is_cut(case) -> bool:
    """Whether this is the call of its function that must run in tiles."""
    return case.label == CUT if case.sweep.name in INSTEAD else case.standard
