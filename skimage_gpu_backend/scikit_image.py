"""scikit-image's functions: public ones by their names in the protocol, and private names.

The only module that imports private names of scikit-image. Of formulas of a few lines, planners
have their own.
"""

import contextlib
import functools
import importlib.util
import inspect
import operator
import sys
import warnings

import numpy as np

from .methods import OWN_FUNCTIONS, PRIVATE_STEPS
from .trouble import Declined, Idle
from .upstream.layout import BACKENDS, MIGRATION, past

# What a conversion gives back as it is, in NumPy's characters of dtypes.
_KEPT = {
    "skimage.util:img_as_bool": "?",
    "skimage.util:img_as_float": "efdg",
    "skimage.util:img_as_float32": "f",
    "skimage.util:img_as_float64": "d",
    "skimage.util:img_as_int": "h",
    "skimage.util:img_as_ubyte": "B",
    "skimage.util:img_as_uint": "H",
}
ALREADY = Idle("image has the wanted dtype already; nothing to change")


def nothing_to_convert(name, dtype) -> bool:
    """Whether the function `name` is a conversion to what an image of `dtype` is already."""
    kept = _KEPT.get(name)
    return kept is not None and dtype.char in kept


# Private names that this package uses, by their modules. scikit-image 0.27 has these modules in
# `_skimage2`, and in `skimage` only what is public there.
PRIVATE = {
    "_shared.utils": "DEPRECATED as_binary_ndarray",
    "color.colorconv": "gray_from_rgb rgb_from_rgbcie rgb_from_xyz rgb_from_ycbcr rgb_from_ydbdr"
    " rgb_from_yiq rgb_from_ypbpr rgb_from_yuv rgbcie_from_rgb xyz_from_rgb xyz_tristimulus_values"
    " ycbcr_from_rgb ydbdr_from_rgb yiq_from_rgb ypbpr_from_rgb yuv_from_rgb",
    "color.colorlabel": "DEFAULT_COLORS",
    "exposure._adapthist": "NR_OF_GRAY clip_histogram map_histogram",
    "exposure.exposure": "_get_bin_edges",
    "feature._canny": "_preprocess",
    "feature._orb_descriptor_positions": "POS",
    "feature._sift": "_ori_distances _update_histogram",
    "feature.blob": "_blob_overlap",
    "feature.censure": "OCTAGON_INNER_SHAPE OCTAGON_OUTER_SHAPE STAR_FILTER_SHAPE STAR_SHAPE"
    " _octagon_kernel _star_kernel",
    "measure._marching_cubes_lewiner": "_to_array",
    "measure._marching_cubes_lewiner_luts": "*",  # tables
    "measure._moments_analytical": "moments_raw_to_central",
    "measure._regionprops": "COL_DTYPES OBJECT_COLUMNS PI PROPS PROP_VALS RegionProperties _cached"
    " _props_to_dict _require_intensity_image",
    "measure._regionprops_utils": "EULER_COEFS2D_4 EULER_COEFS2D_8 EULER_COEFS3D_26 STREL_4"
    " STREL_8",
    "measure.fit": "_dynamic_max_trials",
    "morphology.extrema": "_add_constant_clip _subtract_constant_clip",
    "restoration._cycle_spin": "dask_available",
    "restoration._denoise": "_compute_color_lut _compute_spatial_lut _rescale_sigma_rgb2ycbcr",
    "restoration.j_invariant": "denoise_invariant",
    "segmentation._slic": "_enforce_label_connectivity_cython",
    "segmentation.morphsnakes": "_curvop",
    "segmentation.random_walker_segmentation": "UmfpackContext amg_loaded",
    "segmentation.slic_superpixels": "_get_mask_centroids",
    "transform._warps": "HOMOGRAPHY_TRANSFORMS _swirl_mapping",
    "transform.hough_transform": "label_distant_points",
    "transform.radon_transform": "_get_fourier_filter",
    "util._map_array": "ArrayMap",
    "util._backends": "DispatchNotification",
    "util.dtype": "dtype_range",
}


class Private:
    """Private names of one of scikit-image's modules, which are looked up when they are used.

    Parameters
    ----------
    module : str
        Below ``skimage``, as ``"measure._regionprops"``.
    """

    def __init__(self, module):
        self._module = module
        self._names = PRIVATE[module].split()

    def __getattr__(self, name):
        """The object; raises `Declined` where this version of scikit-image has none."""
        if name not in self._names and self._names != ["*"]:
            raise AttributeError(f"PRIVATE does not list {name} of {self._module}")
        for root in _roots():
            try:
                return getattr(importlib.import_module(f"{root}.{self._module}"), name)
            except (ImportError, AttributeError):
                continue
        raise Declined(
            f"{self._module}.{name} is not in scikit-image {_version()}; "
            "use a version of scikit-image that this package supports"
        )


private = functools.cache(Private)


@functools.cache
def _roots():
    """Packages that hold scikit-image's modules, those with the implementations first."""
    return ("_skimage2", "skimage") if importlib.util.find_spec("_skimage2") else ("skimage",)


def _version():
    return importlib.import_module("skimage").__version__


@functools.cache
def version() -> tuple[int, int]:
    """Major and minor number of the installed scikit-image, for what differs between versions."""
    major, minor, *_ = _version().split(".")
    return int(major), int(minor)


def function_called(name):
    """The public function or method `name`, as ``"skimage.filters:gaussian"``."""
    module, _, function = name.partition(":")
    if module.startswith("skimage2."):
        module = f"_{module}"  # there is no skimage2 yet
    called = operator.attrgetter(function)
    try:
        return called(sys.modules[module])
    except (KeyError, AttributeError):  # not there, or another thread is importing it
        return called(importlib.import_module(module))


def classes_of(public):
    """A public class, and the one that it is a copy of: in 0.27, docstrings differ.

    scikit-image makes objects of both.
    """
    return tuple(kind for kind in public.__mro__ if kind.__name__ == public.__name__)


@functools.cache
def signature(name) -> inspect.Signature:
    """Signature of the public function `name`, of a private step or of what a method runs as."""
    private = PRIVATE_STEPS.get(name) or OWN_FUNCTIONS.get(name)
    if private:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = private[0].split()
        return inspect.Signature([inspect.Parameter(each, kind) for each in parameters])
    return inspect.signature(function_called(name))


@functools.cache
def parameter_places(name) -> dict[str, int]:
    """Positions of the positional parameters of the public function `name`."""
    parameters = signature(name).parameters.values()
    return {
        parameter.name: place
        for place, parameter in enumerate(parameters)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    }


def own_function(name):
    """scikit-image's own function `name`, without its dispatcher, which would ask backends.

    Without the warnings of what skimage2 changes, too: the user has got them.
    """
    return past(function_called(name), (BACKENDS, MIGRATION))


@functools.cache
def deprecation(name, parameter) -> str | None:
    """Text of the warning where the function `name` gets a deprecated parameter; None if none."""
    if signature(name).parameters[parameter].default is not private("_shared.utils").DEPRECATED:
        return None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        own_function(name)(np.ones((1, 1), bool), **{parameter: 1})
    return next(str(w.message) for w in seen if w.category is FutureWarning)


@functools.cache
def warnings_of_skimage2(name) -> list:
    """Texts and categories of what the wrapper of a function warns of, in scikit-image 0.27."""
    wrapper = function_called(name)
    if past(wrapper, (MIGRATION,)) is wrapper:
        return []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with contextlib.suppress(TypeError):  # of the function inside, which gets no arguments
            wrapper()
    return [(str(w.message), w.category) for w in seen if "Skimage2" in w.category.__name__]


def on_host(name, *args, **kwargs):
    """What scikit-image's own function `name` makes of arrays on the host, whatever is selected.

    Calls of this package are not dispatched by our own dispatcher.
    """
    return own_function(name)(*args, **kwargs)
