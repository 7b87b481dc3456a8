"""skimage.feature: eigenvalues of symmetric matrices that are given element by element."""

import itertools

import numpy as np

from ...device.dtypes import c_name
from ...device.launches import Array, Launch, Launches
from ...devices import xp
from ...plan import Declined, Invalid, Plan

_SOURCE = "feature/eigenvalues.cu"


def hessian_matrix_eigvals(H_elems):
    """Eigenvalues in decreasing order: `skimage.feature.hessian_matrix_eigvals`.

    1 launch; each element read once, each eigenvalue written once. Strided images and integers
    take one more launch each. Of matrices above 3 x 3 CuPy finds them.
    """
    return _eigenvalues("H_elems", H_elems)


def structure_tensor_eigenvalues(A_elems):
    """Eigenvalues in decreasing order: `skimage.feature.structure_tensor_eigenvalues`.

    As `hessian_matrix_eigvals`.
    """
    return _eigenvalues("A_elems", A_elems)


def _eigenvalues(parameter, elements):
    shape, dtype, count = _checked(parameter, elements)
    if count == 3:
        if dtype.kind != "f":
            raise Invalid(f"{parameter} is of integers; give image.astype(float) of each")
        return _by_kernel(parameter, "eigenvalues_2x2", 2, shape, dtype, dtype)
    sides = len(shape)
    if count < sides * (sides + 1) // 2:
        raise Invalid(f"{parameter} has too few images; give one for each element of the triangle")
    if dtype.char == "e":
        raise Invalid(f"{parameter} is float16; give image.astype(numpy.float32) of each")
    into = dtype if dtype.kind == "f" else np.dtype(float)
    if sides == 3:
        return _by_kernel(parameter, "eigenvalues_3x3", 3, shape, dtype, into)
    if sides < 3:
        raise Declined(f"{parameter} is of {count} images; give 3 of planes, or 6 of volumes")
    return Plan(lambda **arrays: _of_matrices(arrays[parameter], into))


def _checked(parameter, elements):
    """Shape and dtype of the images, and their number."""
    if isinstance(elements, list | tuple):
        shapes, dtypes = ({getattr(e, key) for e in elements} for key in ("shape", "dtype"))
        if len(shapes) != 1 or len(dtypes) != 1:
            raise Declined(f"{parameter} has images of several shapes or dtypes; give one of each")
        shape, dtype, count = shapes.pop(), dtypes.pop(), len(elements)
    elif elements.ndim:
        (count, *shape), dtype = elements.shape, elements.dtype
    else:
        raise Invalid(f"{parameter} has no axes; give a list of images")
    if not shape or 0 in (count, *shape):
        raise Declined(f"{parameter} is of images without axes or elements; nothing to change")
    return tuple(shape), dtype, count


def _by_kernel(parameter, kernel, sides, shape, dtype, into):
    count = sides * (sides + 1) // 2
    names = [f"element{number}" for number in range(count)]
    elements = [Array(shape, into, name, converted=into != dtype) for name in names]
    result = Array((sides, *shape), into)
    arguments = (*elements, elements[0].size, result)
    step = Launch(_SOURCE, f"{kernel}<{c_name(into)}>", arguments, elements[0].size)
    launches = Launches([step], result)

    def run(**arrays):
        return launches(**dict(zip(names, arrays[parameter], strict=False)))

    return Plan(run, launches=launches)


def _of_matrices(elements, dtype):
    first = elements[0]
    matrices = xp.empty((*first.shape, first.ndim, first.ndim), dtype)
    places = itertools.combinations_with_replacement(range(first.ndim), 2)
    for element, (row, column) in zip(elements, places, strict=False):
        matrices[..., row, column] = matrices[..., column, row] = element
    return xp.moveaxis(xp.linalg.eigvalsh(matrices)[..., ::-1], -1, 0)


def samples():
    """Plans that together ask for every kernel of this room."""
    for char in "efd":
        yield hessian_matrix_eigvals([Array((4, 4), np.dtype(char))] * 3)
    for char in "fd":
        yield hessian_matrix_eigvals([Array((4, 4, 4), np.dtype(char))] * 6)
