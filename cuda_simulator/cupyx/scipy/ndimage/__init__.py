"""The simulator's stand-in for `cupyx.scipy.ndimage`: its signatures, SciPy's computation.

Filters, interpolation, Fourier filters and morphology take their signatures from the text
below; measurements, whose results differ from SciPy's in kind, are in `_measurements`.
"""

import scipy.ndimage as _scipy
from cupyx._host import wrapped as _wrapped

from ._checks import with_checks as _with_checks
from ._measurements import (
    center_of_mass,
    extrema,
    find_objects,
    histogram,
    label,
    labeled_comprehension,
    maximum,
    maximum_position,
    mean,
    median,
    minimum,
    minimum_position,
    standard_deviation,
    sum,
    sum_labels,
    value_indices,
    variance,
)
from ._morphology import (
    binary_fill_holes,
    distance_transform_edt,
    generate_binary_structure,
    iterate_structure,
)
from ._morphology import with_shapes as _with_shapes

_ARRAYS = ("input", "weights", "footprint", "mask", "coordinates", "structure1", "structure2")
_CUPY_ONLY = ("texture_memory", "float64_coords")
_SIGNATURES = """
affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode='constant', cval=0.0, prefilter=True, *, texture_memory=False, float64_coords=False)
map_coordinates(input, coordinates, output=None, order=3, mode='constant', cval=0.0, prefilter=True)
rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode='constant', cval=0.0, prefilter=True)
shift(input, shift, output=None, order=3, mode='constant', cval=0.0, prefilter=True)
zoom(input, zoom, output=None, order=3, mode='constant', cval=0.0, prefilter=True, *, grid_mode=False)
spline_filter(input, order=3, output=float64, mode='mirror')
spline_filter1d(input, order=3, axis=-1, output=float64, mode='mirror')
convolve(input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
correlate(input, weights, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
convolve1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)
correlate1d(input, weights, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)
gaussian_filter(input, sigma, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0, radius=None, axes=None)
gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode='reflect', cval=0.0, truncate=4.0)
gaussian_laplace(input, sigma, output=None, mode='reflect', cval=0.0, *, axes=None, **kwargs)
gaussian_gradient_magnitude(input, sigma, output=None, mode='reflect', cval=0.0, *, axes=None, **kwargs)
laplace(input, output=None, mode='reflect', cval=0.0, *, axes=None)
prewitt(input, axis=-1, output=None, mode='reflect', cval=0.0)
sobel(input, axis=-1, output=None, mode='reflect', cval=0.0)
uniform_filter(input, size=3, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
uniform_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)
minimum_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
maximum_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
minimum_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)
maximum_filter1d(input, size, axis=-1, output=None, mode='reflect', cval=0.0, origin=0)
median_filter(input, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
rank_filter(input, rank, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
percentile_filter(input, percentile, size=None, footprint=None, output=None, mode='reflect', cval=0.0, origin=0, axes=None)
fourier_ellipsoid(input, size, n=-1, axis=-1, output=None)
fourier_gaussian(input, sigma, n=-1, axis=-1, output=None)
fourier_shift(input, shift, n=-1, axis=-1, output=None)
fourier_uniform(input, size, n=-1, axis=-1, output=None)
binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None)
black_tophat(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
grey_closing(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
grey_opening(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
morphological_laplace(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
white_tophat(input, size=None, footprint=None, structure=None, output=None, mode='reflect', cval=0.0, origin=0, *, axes=None)
"""  # noqa: E501 (one signature a line)
_BINARY_SIGNATURES = """
binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *, axes=None)
binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *, axes=None)
binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0, brute_force=False, *, axes=None)
binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0, brute_force=False, *, axes=None)
binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None)
"""  # noqa: E501

_generated = []
for _line in _SIGNATURES.strip().splitlines():
    _name = _line.split("(")[0]
    _generated.append(_name)
    _function = _with_checks(_name, getattr(_scipy, _name))
    globals()[_name] = _wrapped(_line, _function, _ARRAYS, _CUPY_ONLY)
for _line in _BINARY_SIGNATURES.strip().splitlines():
    _name = _line.split("(")[0]
    _generated.append(_name)
    globals()[_name] = _wrapped(_line, _with_shapes(getattr(_scipy, _name)), _ARRAYS)

__all__ = [
    *_generated,
    "binary_fill_holes",
    "center_of_mass",
    "distance_transform_edt",
    "extrema",
    "find_objects",
    "function",
    "generate_binary_structure",
    "generic_filter",
    "generic_filter1d",
    "histogram",
    "iterate_structure",
    "label",
    "labeled_comprehension",
    "maximum",
    "maximum_position",
    "mean",
    "median",
    "minimum",
    "minimum_position",
    "standard_deviation",
    "sum",
    "sum_labels",
    "value_indices",
    "variance",
]


def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
):
    """Not in the simulator: CuPy builds a kernel around the given one."""
    raise NotImplementedError("the simulator has no generic_filter")


def generic_filter1d(
    input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0
):
    """Not in the simulator: CuPy builds a kernel around the given one."""
    raise NotImplementedError("the simulator has no generic_filter1d")
