"""Of each kernel the launch that asks for most dynamic shared memory.

The calls go up to where the rooms decline, or make Gaussians in another way.
"""

import functools
import itertools
import math
import os
from unittest import mock

import numpy as np

from skimage_gpu_backend import functions, interface
from skimage_gpu_backend.device import kernels
from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.device.loading import load, loaded
from skimage_gpu_backend.trouble import Declined

SIGMAS = (0.3, 1, 2, 3, 4, 4.1, 5, 8, 16, 21, 28, 30, 31, 60, 500, 512)
SIZES = (1, 3, 5, 9, 15, 33, 65, 101, 255, 401, 513, 1025)
SIDES = (1, 2, 3, 5, 8, 9, 12, 15, 20, 21, 30, 40, 45, 60, 80, 110, 150, 301)
DTYPES = ("uint8", "uint16", "float32", "float64")
PAIRS = [pair for a in SIGMAS[:14] for pair in ((a, a), (a, 0.3), (0.3, a))]


def _vary(names, ndims=(2,), dtypes=DTYPES, **choices):
    """Calls of functions of a module with all combinations of arguments."""
    module, names = names.split(":")
    for name, ndim, dtype in itertools.product(names.split(), ndims, dtypes):
        for values in itertools.product(*choices.values()):
            arguments = dict(zip(choices, values, strict=True))
            yield f"skimage.{module}:{name}", (64,) * ndim, dtype, arguments


def _planned():
    """Calls whose launches a plan tells."""
    each = (1, 2, 3)
    yield from _vary("filters:gaussian", sigma=PAIRS)
    yield from _vary("filters:gaussian", each, sigma=SIGMAS)
    yield from _vary("filters:unsharp_mask", each, radius=SIGMAS)
    yield from _vary("filters:difference_of_gaussians", each, ("uint8",), low_sigma=SIGMAS)
    yield from _vary("filters:frangi sato meijering hessian", (2, 3), sigmas=[[s] for s in SIGMAS])
    yield from _vary("filters:sobel scharr prewitt farid laplace", each)
    yield from _vary("filters:roberts roberts_pos_diag")
    yield from _vary("filters:threshold_local", each, block_size=SIZES, method=["mean", "median"])
    yield from _vary("filters:threshold_niblack threshold_sauvola", each, window_size=SIZES)
    for ndim in each:
        most = 45 if ndim == 3 else max(SIDES)  # of the axes before the last
        footprints = [np.ones((min(side, most),) * (ndim - 1) + (side,), bool) for side in SIDES]
        yield from _vary("filters:median", (ndim,), footprint=footprints)
        yield from _vary("filters.rank:mean entropy", (ndim,), DTYPES[:2], footprint=footprints)
        runs = [f & (np.arange(f.shape[-1]) != 1) for f in footprints[2:]]  # each line has a gap
        chosen = {"dtypes": ("bool", "uint8", "float64"), "footprint": [*footprints, *runs]}
        yield from _vary("morphology:erosion opening", (ndim,), **chosen)
    yield from _vary("filters:gabor", frequency=[0.09, 0.1, 0.2, 0.4], theta=[0, 0.7, 1.5])
    corners = "corner_foerstner corner_harris corner_shi_tomasi"
    of_hessian = "hessian_matrix hessian_matrix_det shape_index"
    yield from _vary(f"feature:structure_tensor {corners} {of_hessian}", (2, 3), sigma=SIGMAS)
    yield from _vary("feature:structure_tensor", sigma=PAIRS)
    yield from _vary(
        "feature:hessian_matrix", (2, 3), sigma=SIGMAS, use_gaussian_derivatives=[True, False]
    )
    yield from _vary("segmentation:inverse_gaussian_gradient", (1, 2, 3), sigma=SIGMAS)
    yield from _vary("feature:corner_moravec", window_size=range(11))
    yield from _vary("feature:corner_fast corner_kitchen_rosenfeld")
    yield from _vary("feature:canny", sigma=SIGMAS)
    yield from _vary("feature:daisy", rings=[1, 3], histograms=[1, 8, 40], orientations=[8, 30, 90])
    yield from _vary("feature:daisy", radius=[3, 31], rings=[1, 3], orientations=[1000])
    yield from _vary("feature:hog", orientations=[1, 9, 64, 4096])
    for ndim in each:
        small = [(4,) * ndim]
        orders = {"order": range(6), "output_shape": small, "anti_aliasing": [True, False]}
        yield from _vary("transform:resize", (ndim,), mode=["reflect", "edge"], **orders)
    yield from _vary("transform:pyramid_reduce", sigma=SIGMAS)
    for dtype in ("uint8", "float32"):
        yield "skimage.transform:pyramid_expand", (3000, 3072), dtype, {}
    for shape in ((500, 2170), (3000, 3072), (40, 13_000)):
        yield "skimage.transform:hough_line", shape, "uint8", {}


def _run():
    """Calls that are run, since their data decides."""
    noise = np.random.default_rng(0).random
    for dtype in ("uint8", "float32", "float64"):
        image = (noise((70, 130)) * 255).astype(dtype)
        for side in (2, 3, 7, 10, 19, 31, 39):
            for footprint in ((side, side), (10, side), (side, 10), (1, side), (side, 1)):
                yield "feature:peak_local_max", image, {"footprint": np.ones(footprint, bool)}
    image, grey = noise((130, 130)), (noise((24, 1100)) * 109).astype("uint8")
    for bins in (12_028, 12_029, 12_288):
        yield "exposure:equalize_adapthist", image, {"nbins": bins, "kernel_size": 130}
        yield "exposure:histogram", image, {"nbins": bins}
    yield "exposure:histogram", image, {"nbins": 4095}
    yield "exposure:equalize_hist", image, {"nbins": 1024}
    yield "exposure:equalize_adapthist", np.stack([image] * 3, 2), {"nbins": 12_028}
    wide = {"low_threshold": 0.1, "high_threshold": 0.9, "use_quantiles": True}
    yield "feature:canny", 10 ** (20 * image), wide
    yield "feature:multiscale_basic_features", image, {"sigma_max": 1}
    yield "feature:graycomatrix", grey, {"distances": [1], "angles": [0], "levels": 110}
    for across in (1, 7, 100, 500, 1024):
        yield "feature:match_template", grey.astype(float), {"template": noise((2, across))}
    yield "transform:hough_ellipse", np.eye(20, 230), {"max_size": 115}
    yield "metrics:normalized_mutual_information", image, {"image1": image, "bins": 110}
    for still in (image, noise((17, 18, 19))):
        for reach in (1, 7, 20, 60):  # more where the shared memory allows
            chosen = {"moving_image": still, "num_warp": 1, "radius": reach, "dtype": "float64"}
            for bell in (False, True):
                yield "registration:optical_flow_ilk", still, {**chosen, "gaussian": bell}
    for size in (3, 7, 33, 101, 401):
        image = noise((size + 2, size + 2))
        for bell in (False, True):
            how = {"win_size": size, "gaussian_weights": bell, "gradient": True}
            arguments = {"im2": image[::-1], "data_range": 1, **how}
            yield "metrics:structural_similarity", image, arguments
    for sigma in (1, 2, 4):
        yield "transform:pyramid_laplacian", image[:130, :130], {"sigma": sigma, "max_layer": 1}
    for sigma in (2.4, 5):
        yield "filters:difference_of_gaussians", image[:130, :130], {"low_sigma": sigma}
    for entries in (10, 4096):
        values = np.arange(entries, dtype="uint64")
        image = values[:, None] % 7
        yield "util:map_array", image, {"input_vals": values, "output_vals": values}
    for image in (noise((9, 12)), noise((9, 12, 3)), noise((9, 12, 4)), noise((9, 12, 6))):
        for reach in range(2, 44):
            axis = None if image.ndim == 2 else -1
            chosen = {"win_size": 2 * reach + 1, "sigma_color": 1, "channel_axis": axis}
            for dtype in ("float32", "float64"):
                yield "restoration:denoise_bilateral", image.astype(dtype), chosen
    for lengths in ((3, 60), (50, 50), (10, 10, 11), (19, 18, 19)):
        image = noise([n + 4 for n in lengths])
        mask = np.zeros(image.shape, bool)
        mask[tuple(slice(2, -2) for _ in lengths)] = True
        yield "restoration:inpaint_biharmonic", image, {"mask": mask}
    for extent in ((1, 121), (11, 11), (121, 1)):
        yield "restoration:richardson_lucy", noise((70, 70)), {"psf": noise(extent), "num_iter": 1}
    for image in (noise((40, 70)), noise((9, 10, 40))):
        for smoothing in (2, 4, 6, 8):
            chosen = {"num_iter": 1, "smoothing": smoothing}
            yield "segmentation:morphological_chan_vese", image, chosen
            contour = {"threshold": 0.5, "balloon": 1, **chosen}
            yield "segmentation:morphological_geodesic_active_contour", image, contour


@functools.cache
def largest():
    """By source and template: bytes of dynamic shared memory, and threads of a block with them."""
    found = {}

    def note(source, expression, shared, block):
        kernel = source, expression.partition("<")[0]
        threads = block if isinstance(block, int) else math.prod(block)
        found[kernel] = max(found.get(kernel, (0, 0)), (shared, threads))

    for name, shape, dtype, arguments in _planned():
        try:
            plan = functions.plan(name, (Array(shape, np.dtype(dtype)),), arguments)
        except Declined:
            continue
        for step in plan.launches.steps if plan.launches else ():
            note(step.source, step.expression, step.shared, step.block)

    class Noting(dict):
        """Kernels that are loaded, which note what they are launched with."""

        def get(self, key):
            if key not in loaded:
                load([key[:2]], key[2])

            def launched(grid, block, args, shared):
                note(*key[:2], shared, block)
                if key[0] != "restoration/bilateral.cu":  # whose results no launch depends on
                    loaded[key](grid, block, args, shared)

            return launched

    selected = {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_BACKENDS_MIN_SIZE": "0"}
    with mock.patch.object(kernels, "loaded", Noting()), mock.patch.dict(os.environ, selected):
        for name, image, arguments in _run():
            result = interface.gpu.decide(f"skimage.{name}", (image,), arguments)
            if result and hasattr(result := result.run(), "__next__"):
                list(result)
    return found
