"""The ``cucim`` backend: NVIDIA's library cuCIM, where the user names it.

Results and errors are cuCIM's own, as they are. NumPy arrays are copied to the device and the
results back; CuPy arrays are passed through. scikit-image loads this module when its first
dispatchable function is defined, so everything else is imported when a call is decided.
"""

import contextlib
import functools
import importlib
import inspect
import itertools
from collections.abc import Iterator

# The functions that cuCIM 26.10 has under scikit-image's names, by module.
FUNCTIONS = {
    "skimage.color": (
        "combine_stains convert_colorspace deltaE_cie76 deltaE_ciede2000 deltaE_ciede94"
        " deltaE_cmc gray2rgb gray2rgba hed2rgb hsv2rgb lab2lch lab2rgb lab2xyz label2rgb"
        " lch2lab luv2rgb luv2xyz rgb2gray rgb2hed rgb2hsv rgb2lab rgb2luv rgb2rgbcie rgb2xyz"
        " rgb2ycbcr rgb2ydbdr rgb2yiq rgb2ypbpr rgb2yuv rgba2rgb rgbcie2rgb separate_stains"
        " xyz2lab xyz2luv xyz2rgb ycbcr2rgb ydbdr2rgb yiq2rgb ypbpr2rgb yuv2rgb"
    ),
    "skimage.exposure": (
        "adjust_gamma adjust_log adjust_sigmoid cumulative_distribution equalize_adapthist"
        " equalize_hist histogram is_low_contrast match_histograms rescale_intensity"
    ),
    "skimage.feature": (
        "blob_dog blob_doh blob_log canny corner_foerstner corner_harris"
        " corner_kitchen_rosenfeld corner_peaks corner_shi_tomasi daisy hessian_matrix"
        " hessian_matrix_det hessian_matrix_eigvals match_template multiscale_basic_features"
        " peak_local_max shape_index structure_tensor structure_tensor_eigenvalues"
    ),
    "skimage.filters": (
        "apply_hysteresis_threshold butterworth correlate_sparse difference_of_gaussians"
        " farid farid_h farid_v frangi gabor gabor_kernel gaussian laplace median meijering"
        " prewitt prewitt_h prewitt_v rank_order roberts roberts_neg_diag roberts_pos_diag"
        " sato scharr scharr_h scharr_v sobel sobel_h sobel_v threshold_isodata threshold_li"
        " threshold_local threshold_mean threshold_minimum threshold_multiotsu"
        " threshold_niblack threshold_otsu threshold_sauvola threshold_triangle threshold_yen"
        " unsharp_mask window"
    ),
    "skimage.filters.rank": (
        "autolevel autolevel_percentile enhance_contrast enhance_contrast_percentile entropy"
        " equalize geometric_mean gradient gradient_percentile majority maximum mean"
        " mean_bilateral mean_percentile median minimum modal noise_filter percentile pop"
        " pop_bilateral pop_percentile subtract_mean subtract_mean_percentile sum"
        " sum_bilateral sum_percentile threshold threshold_percentile"
    ),
    "skimage.measure": (
        "block_reduce blur_effect centroid euler_number inertia_tensor inertia_tensor_eigvals"
        " intersection_coeff label manders_coloc_coeff manders_overlap_coeff moments"
        " moments_central moments_coords moments_coords_central pearson_corr_coeff perimeter"
        " perimeter_crofton profile_line regionprops regionprops_table shannon_entropy"
    ),
    "skimage.metrics": (
        "adapted_rand_error mean_squared_error normalized_mutual_information"
        " normalized_root_mse peak_signal_noise_ratio structural_similarity"
        " variation_of_information"
    ),
    "skimage.morphology": (
        "black_tophat closing convex_hull_image convex_hull_object dilation erosion h_maxima"
        " h_minima isotropic_closing isotropic_dilation isotropic_erosion isotropic_opening"
        " local_maxima local_minima medial_axis opening reconstruction remove_small_holes"
        " remove_small_objects thin white_tophat"
    ),
    "skimage.registration": "optical_flow_ilk optical_flow_tvl1 phase_cross_correlation",
    "skimage.restoration": "denoise_tv_chambolle richardson_lucy rolling_ball wiener",
    "skimage.segmentation": (
        "chan_vese clear_border expand_labels find_boundaries inverse_gaussian_gradient"
        " join_segmentations mark_boundaries morphological_chan_vese"
        " morphological_geodesic_active_contour random_walker relabel_sequential"
    ),
    "skimage.transform": (
        "downscale_local_mean integral_image integrate matrix_transform pyramid_expand"
        " pyramid_gaussian pyramid_laplacian pyramid_reduce rescale resize resize_local_mean"
        " rotate swirl warp warp_polar"
    ),
    "skimage.util": (
        "compare_images crop dtype_limits img_as_bool img_as_float img_as_float32"
        " img_as_float64 img_as_int img_as_ubyte img_as_uint invert map_array montage"
        " view_as_blocks view_as_windows"
    ),
}
NAMES = frozenset(
    f"{module}:{function}" for module, names in FUNCTIONS.items() for function in names.split()
)
# Parameters that are arrays for the device in every function that has them, in addition to the
# images. NumPy arrays for other parameters, as a sigma for each axis, are passed as they are.
_AUXILIARY = (
    "background",
    "footprint",
    "footprints",
    "hist",
    "image0_mask",
    "image1_mask",
    "image_alpha",
    "impulse_response",
    "init_level_set",
    "input_vals",
    "intensity_image",
    "inverse_map",
    "kernel",
    "labels",
    "mask",
    "masks",
    "matrix",
    "moving_mask",
    "mu",
    "output_vals",
    "psf",
    "reference_mask",
    "reg",
    "table",
)


def decide(name, args, kwargs, selected):
    """`Decision` of a call: whether cuCIM runs it, and why not.

    Parameters
    ----------
    name : str
        Public module and function, as ``"skimage.filters:gaussian"``.
    args : tuple
    kwargs : dict
        The caller's arguments.
    selected : Selection
        What the user selected.
    """
    from .availability import no_cucim_because
    from .decision import Decision

    if name not in NAMES:
        return Decision("no cuCIM version of this function")
    if "cucim" not in selected.named:
        return Decision("the cucim backend is taken only where it is named")
    declined = _not_for_arrays(name, args, kwargs, selected)
    if declined is not None:
        return declined
    if reason := no_cucim_because():
        return Decision(reason)
    try:
        function = _function(name)
        arguments = _by_name(name, args, kwargs)
    except (ImportError, AttributeError) as error:
        return Decision(f"cuCIM cannot be used: {error}")
    except TypeError as error:
        return Decision(str(error), invalid=True)
    if unknown := arguments.keys() - _parameters(function).keys():
        return Decision(f"cuCIM has no {min(unknown)} here; leave it out, which changes the result")
    return Decision(run=lambda: _run(name, function, arguments, selected), source="cucim")


def _not_for_arrays(name, args, kwargs, selected):
    """Decision that declines the arrays of a call; None where they go to the device."""
    from .adapt.kinds import (
        CUPY,
        NUMPY,
        device_kind,
        holds_other,
        kind_of,
        on_devices,
        why_not,
        why_not_dtype,
    )
    from .arguments import bound, images_of
    from .catalog import CATALOG
    from .decide import not_for_numpy, size_of
    from .decision import Decision
    from .targets import GPU

    if foreign := device_kind(args, kwargs, other_than=CUPY):
        return Decision(f"cuCIM does not take a {foreign.label}; give a CuPy array")
    for parameter, value in bound(name, args, kwargs)[0].items():
        if holds_other((value,)):
            return Decision(why_not(parameter, value))
        if kind_of(value) is NUMPY and not on_devices(value.dtype):
            return Decision(why_not_dtype(parameter, value.dtype))
    row = CATALOG[name]
    if device_kind(args, kwargs) or (selected.output == "cupy" and not row.images):
        return None
    images = images_of(row, name, args, kwargs)
    for parameter, image in images:
        if kind_of(image) is None:
            return Decision(why_not(parameter, image))
    if not images:
        return Decision(
            "arguments have no NumPy or CuPy array; give numpy.asarray(...) of the images"
        )
    size = size_of(name, images, args, kwargs)
    return not_for_numpy(name, size, images, args, kwargs, selected, GPU)


@functools.cache
def _function(name):
    """cuCIM's function.

    Raises
    ------
    ImportError, AttributeError
        The installed cuCIM has none.
    """
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(f"cucim.{module}"), function)


@functools.cache
def _parameters(function):
    return inspect.signature(function).parameters


def _by_name(name, args, kwargs):
    """The arguments of a call by scikit-image's names.

    Raises
    ------
    TypeError
        scikit-image's function does not have these parameters.
    """
    from .scikit_image import signature

    expected = signature(name)
    arguments = expected.bind(*args, **kwargs).arguments
    for parameter in expected.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(parameter.name, {})
    return arguments


def _run(name, function, arguments, selected):
    """Result of a call, with arrays of the caller's kind.

    Raises
    ------
    DeviceTrouble
        The device failed, or cuCIM does not implement the call.
    """
    from .adapt.kinds import CUPY, NUMPY, device_kind
    from .adapt.placement import devices_of, elsewhere, refuse_several
    from .availability import require_device
    from .call import Call
    from .catalog import CATALOG
    from .execute import guarded

    require_device()
    devices = devices_of((), arguments)
    if len(devices) > 1:
        refuse_several(devices)
    kind = CUPY if device_kind((), arguments) else NUMPY
    row = CATALOG[name]
    call = Call(
        name,
        (*row.images, *row.beside, *_AUXILIARY),
        kind,
        {parameter: _contiguous(value) for parameter, value in arguments.items()},
        output="cupy" if selected.output == "cupy" else None,
    )

    def run():
        from .adapt.call import call_on_device

        with (devices and elsewhere(devices[0])) or contextlib.nullcontext():
            return call_on_device(functools.partial(_call, function), call)

    return guarded(run)


def _contiguous(value):
    """A NumPy array in C order, as cuCIM's convolutions expect arrays; other values as they are."""
    from .adapt.kinds import NUMPY, kind_of

    return value.copy() if kind_of(value) is NUMPY and value.flags.fnc else value


def _call(function, **arguments):
    """Result of cuCIM's function."""
    # its decorators that move channels find images by their position, and `out` by its name
    positional = [p.name for p in _parameters(function).values() if p.kind is not p.KEYWORD_ONLY]
    first = itertools.takewhile(lambda n: n in arguments and n != "out", positional)
    args = [arguments.pop(parameter) for parameter in tuple(first)]
    with _users_errors():
        result = function(*args, **arguments)
    return _in_turn(result) if isinstance(result, Iterator) else result


def _in_turn(results):
    """Items of a generator."""
    with _users_errors():
        yield from results


@contextlib.contextmanager
def _users_errors():
    """Context in which cuCIM's exceptions are marked as the user's, other than the device's."""
    from .availability import as_trouble
    from .failures import for_user
    from .trouble import Declined

    try:
        yield
    except NotImplementedError as error:
        raise Declined(
            f"cuCIM does not implement this call ({error}); nothing to change"
        ) from error
    except Exception as error:
        if not as_trouble(error):
            for_user(error)
        raise
