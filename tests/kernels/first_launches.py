"""`python -m tests.kernels.first_launches`: one launch of every kernel file, on what is here.

The usual calls of as many functions as it takes to launch something of each file under
``kernels/``, each compared with scikit-image: what a GPU or its compiler refuses shows at once.
"""

import argparse
import os
import sys
import time
import traceback

import numpy as np
from skimage.data import camera
from skimage.feature import BRIEF, CENSURE, SIFT
from skimage.morphology import max_tree
from skimage.transform import ThinPlateSplineTransform

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.availability import choose_device
from tests.done import Done


def _with_tree(call):
    """`call` with the tree of its image."""
    parent, traverser = max_tree(call["image"].array())
    return {"parent": parent, "tree_traverser": traverser}


def descriptors_of_brief():
    """Those of a method by steps, beside scikit-image's."""
    image, at = camera()[:100, :100], np.full((3, 2), 50)
    found, expected = (BRIEF(rng=1) for _ in range(2))
    with use_backends("gpu"):
        found.extract(image, at)
    expected.extract(image, at)
    np.testing.assert_array_equal(found.descriptors, expected.descriptors)


def points_of_a_spline():
    """Those that a transform moves, beside scikit-image's."""
    points = np.array([[0.0, 0], [0, 50], [50, 50], [50, 0], [20, 30]])
    moving = ThinPlateSplineTransform.from_estimate(points, points + 1)
    expected = moving(points)
    with use_backends("gpu"):
        found = moving(points)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def keypoints_of_sift():
    """Those of a method in a room, beside scikit-image's."""
    image = camera()[100:160, 150:220]
    found, expected = SIFT(), SIFT()
    with use_backends("gpu"):
        found.detect_and_extract(image)
    expected.detect_and_extract(image)
    np.testing.assert_array_equal(found.keypoints, expected.keypoints)
    np.testing.assert_array_equal(found.descriptors, expected.descriptors)


def keypoints_of_censure():
    """Those of both files of a method in a room, beside scikit-image's."""
    image = camera()[100:160, 150:220]
    for mode in ("DoB", "Octagon"):
        found, expected = (CENSURE(mode=mode, non_max_threshold=0.02) for _ in range(2))
        with use_backends("gpu"):
            found.detect(image)
        expected.detect(image)
        np.testing.assert_array_equal(found.keypoints, expected.keypoints)


# what is called beside functions
_METHODS = (descriptors_of_brief, keypoints_of_censure, keypoints_of_sift, points_of_a_spline)
# calls that reach what rooms are built of
_SHARED = (
    ("skimage.exposure:is_low_contrast", {}),
    ("skimage.filters:gaussian", {"sigma": 12}),
    ("skimage.filters:unsharp_mask", {"radius": 12}),
    ("skimage.graph:rag_mean_color", {}),
    ("skimage.measure:label", {}),
    ("skimage.measure:regionprops_table", {"properties": ("label", "orientation", "solidity")}),
    ("skimage.measure:regionprops_table", {"properties": ("area_filled",)}),
    ("skimage.morphology:convex_hull_image", {}),
    ("skimage.morphology:erosion", {"footprint": np.ones((41, 41))}),
    ("skimage.morphology:erosion", {"footprint": np.tri(41)}),
    ("skimage.morphology:flood", {}),
    ("skimage.morphology:isotropic_erosion", {"radius": 3}),
    ("skimage.morphology:area_opening", {}),
    ("skimage.morphology:area_opening", _with_tree),
    ("skimage.morphology:diameter_opening", {}),
    ("skimage.morphology:local_maxima", {}),
    ("skimage.morphology:reconstruction", {}),
    ("skimage.morphology:remove_small_objects", {}),
    ("skimage.morphology:skeletonize", {}),
    ("skimage.morphology:skeletonize", {"method": "lee"}),
    ("skimage.segmentation:clear_border", {}),
    ("skimage.segmentation:expand_labels", {}),
    ("skimage.segmentation:find_boundaries", {}),
    ("skimage.segmentation:relabel_sequential", {}),
    ("skimage.segmentation:watershed", {}),
    ("skimage.transform:resize", {"order": 3}),
    ("skimage.transform:warp", {"order": 3}),
)


def main(resume=None):
    """Print file, function, seconds and what became of each; True if all went well.

    Kernel files that `resume`, a file, names are left out; those that are launched are added.
    """
    choose_device()
    os.environ |= {"SKIMAGE_BACKENDS_MIN_SIZE": "0", "SKIMAGE_BACKENDS_NOTIFY": "none"}
    from skimage_gpu_backend import enable
    from skimage_gpu_backend.device.source import KERNELS

    enable()
    done, failed = Done(resume), 0
    files = {path.relative_to(KERNELS).as_posix() for path in KERNELS.rglob("*.cu")}
    left = {file for file in files if file not in done}
    for case in _in_turn(left):
        start = time.perf_counter()
        new, error = _launched(case)
        seconds = time.perf_counter() - start
        if new & left or error:
            name = getattr(case, "__name__", str(case))
            print(f"{seconds:6.2f} s  {name:60} {error or 'ok'}  {' '.join(sorted(new))}")
        if error:
            failed += 1
        else:
            for source in sorted(new & left):
                done.add(source)
        left -= new
    for source in sorted(left):
        print(f"never launched: {source}")
    print(f"{failed} calls failed, {len(left)} files were never launched")
    return not (failed or left)


def _in_turn(left):
    """Usual calls, then others, as long as a room's own file is in `left`; then the rest."""
    from skimage_gpu_backend import functions
    from tests.differential.sweep import Case
    from tests.differential.sweeps import SWEEPS

    shared = {source for source, _ in functions.kernels([])}
    own = {s.name: {source for source, _ in functions.kernels([s.name])} - shared for s in SWEEPS}
    for usual in (True, False):
        for sweep in SWEEPS:
            for case in sweep.cases():
                if not own[sweep.name] & left:
                    break
                if case.standard == usual:
                    yield case
    for name, changes in _SHARED:
        sweep = next(sweep for sweep in SWEEPS if sweep.name == name)
        if callable(changes):
            yield Case(sweep, changes.__name__, sweep.call | changes(sweep.call))
        else:
            yield Case(sweep, str(changes), sweep.call | changes)
    yield from _METHODS


def _launched(case):
    """Files of which something was loaded for a call, and the error that it met."""
    from skimage_gpu_backend.device.loading import loaded
    from tests.differential.check import check

    before, error = set(loaded), None
    try:
        if callable(case):
            case()
        else:
            check(case, case.sweep.kinds[-1])
    except BaseException as raised:  # pytest's failures are none of Exception
        if isinstance(raised, KeyboardInterrupt):
            raise
        error = traceback.format_exception_only(raised)[-1].strip()
    return {source for source, _, _ in set(loaded) - before}, error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.kernels.first_launches")
    parser.add_argument("--resume", metavar="FILE", help="leave out kernels that FILE has; add")
    sys.exit(not main(parser.parse_args().resume))
