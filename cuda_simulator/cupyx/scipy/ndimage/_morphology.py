"""Morphology of `cupyx.scipy.ndimage` where a signature alone does not say it."""

import functools

import cupy
import numpy as np
import scipy.ndimage
from cupyx._host import device, host, require_device


def with_shapes(function):
    """SciPy's function, taking shapes in place of structures full of ones as CuPy does."""

    @functools.wraps(function)
    def call(input, structure=None, **kwargs):
        if isinstance(structure, int):
            structure = (structure,) * input.ndim
        if isinstance(structure, tuple | list):
            structure = np.ones(structure, bool)
        return function(input, structure=structure, **kwargs)

    return call


def generate_binary_structure(rank, connectivity):
    """As `scipy.ndimage.generate_binary_structure`, on the device."""
    return cupy.asarray(scipy.ndimage.generate_binary_structure(rank, connectivity))


def iterate_structure(structure, iterations, origin=None):
    """As `scipy.ndimage.iterate_structure`, on the device."""
    require_device(structure)
    result = scipy.ndimage.iterate_structure(host(structure), iterations, origin)
    if origin is None:
        return device(result, structure)
    return device(result[0], structure), result[1]


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """As `scipy.ndimage.binary_fill_holes`, on the device; nothing is returned with `output`."""
    require_device(input, structure)
    filled = scipy.ndimage.binary_fill_holes(host(input), host(structure), None, origin, axes=axes)
    if not isinstance(output, cupy.ndarray):
        return device(filled, input)
    output[...] = device(filled, input)
    return output


def distance_transform_edt(
    image,
    sampling=None,
    return_distances=True,
    return_indices=False,
    distances=None,
    indices=None,
    *,
    block_params=None,
    float64_distances=True,
):
    """As `scipy.ndimage.distance_transform_edt`; in single precision where asked for."""
    require_device(image, distances, indices)
    found = scipy.ndimage.distance_transform_edt(host(image), sampling, True, True)
    dtype = np.float64 if float64_distances else np.float32
    results = []
    for wanted, target, values in (
        (return_distances, distances, found[0].astype(dtype)),
        (return_indices, indices, found[1]),
    ):
        if wanted and target is None:
            results.append(device(values, image))
        elif wanted:
            target[...] = device(values, image)
    return results[0] if len(results) == 1 else tuple(results)
