"""skimage.measure.marching_cubes: vertices and faces equal to the last bit.

Cost: 7 launches, one of which is CuPy's (sums of tiles), and one more with a `spacing`. The volume
is read twice as a whole (its range, then its cells), and where its surface is. 2 bytes a cell are
written and read twice; 8 bytes are held for each cell, most of them untouched where the surface is
small, and 12 more in a list for each cell of the surface. The range and the numbers of vertices
and faces come to the host, 2 and 4 numbers; scikit-image's tables go to the device, some 60 kB.

`allow_degenerate=False`: 1 launch and some of CuPy's on vertices and faces, 2 more and a sort where
there are degenerate triangles.
"""

import functools

import numpy as np

from ...device import c_name, launch
from ...device.dtypes import C_NAMES
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_contiguous, is_real, is_writeable, real, truth
from ...primitives.value_range import value_range
from ._cube_tables import tables

_SOURCE, _FLAT = "measure/marching_cubes.cu", "measure/degenerate.cu"
_CELLS = np.dtype([(name, "i8") for name in ("rows", "columns", "step", "nz", "ny", "nx")])
_TILE, _BLOCK = 1024, 256  # as TILE and THREADS of marching_cubes.cu
_MOST = 2**31 - 1  # of what scikit-image counts in 32 bits
_NOTHING = "No surface found at the given iso value."
_IMPOSSIBLE = "Marching Cubes: Impossible case 13?"
_OUTSIDE = "Surface level must be within volume data range."
_METHODS = {"lewiner": False, "lorensen": True}
_FLIPPED = {"descent": True, "ascent": False}


def marching_cubes(
    volume,
    level=None,
    *,
    spacing=(1.0, 1.0, 1.0),
    gradient_direction="descent",
    step_size=1,
    allow_degenerate=True,
    method="lewiner",
    mask=None,
):
    """Surface of a volume at a level: `skimage.measure.marching_cubes`."""
    if volume.ndim != 3 or min(volume.shape) < 2:
        raise Invalid("volume is not of three axes of two elements at least; give such a one")
    if volume.dtype == np.float32 and is_contiguous(volume) and not is_writeable(volume):
        raise Invalid("volume is read-only; give a copy")
    if not isinstance(method, str) or method not in _METHODS:
        raise Invalid("method is unknown; give 'lewiner' or 'lorensen'")
    if not isinstance(gradient_direction, str) or gradient_direction not in _FLIPPED:
        raise Invalid("gradient_direction is unknown; give 'descent' or 'ascent'")
    if level is not None:
        level = real("level", level)
    if mask is not None:
        _refuse_mask(mask, volume.shape)
    cells = _cells(volume.shape, _step(step_size))
    run = functools.partial(
        _run,
        cells=cells,
        level=level,
        spacing=_spacing(spacing),
        flipped=_FLIPPED[gradient_direction],
        degenerate=truth("allow_degenerate", allow_degenerate),
        classic=_METHODS[method],
    )
    return Plan(run)


def _refuse_mask(mask, shape):
    if not isinstance(getattr(mask, "dtype", None), np.dtype) or mask.shape != shape:
        raise Invalid("mask is no array of the volume's shape; give one")
    if mask.dtype.itemsize != 1:
        raise Invalid("mask is not boolean; give mask.astype(bool)")


def _step(value):
    if not is_real(value) or not abs(value) < np.inf:
        raise Declined("step_size is not a number; give an integer, as 2")
    if int(value) < 1 or int(value) > _MOST:
        raise Invalid("step_size is below 1, or very large; give a small integer, as 2")
    return int(value)


def _spacing(value):
    """What vertices are multiplied with, None where that is 1."""
    try:
        count = len(value)
    except TypeError:
        raise Invalid("spacing is not of three numbers; give three, as (1, 1, 2)") from None
    if count != 3:
        raise Invalid("spacing is not of three numbers; give three, as (1, 1, 2)")
    if type(value) is not np.ndarray and not all(is_real(each) for each in value):
        raise Declined("spacing is not of three plain numbers; give three, as (1, 1, 2)")
    if type(value) not in (tuple, list, np.ndarray) or np.ndim(value) != 1:
        raise Declined("spacing is no tuple of three numbers; give one, as (1, 1, 2)")
    if np.array_equal(value, (1, 1, 1)):
        return None
    made = np.r_[value]
    if made.dtype.kind not in "iuf" or made.dtype.itemsize > 8:
        raise Declined("spacing is not of three plain numbers; give three, as (1, 1, 2)")
    return made


def _cells(shape, step):
    """The struct Cells of kernels/measure/cubes.cuh."""
    counts = [(length - 1) // step for length in shape]
    return np.array((*shape[1:], step, *counts), _CELLS)[()]


def _run(volume, *, cells, level, spacing, flipped, degenerate, classic, mask=None):
    volume = xp.ascontiguousarray(volume)
    volume = volume.view("uint8") if volume.dtype.kind == "b" else volume
    low, high = to_host(value_range(volume))[:2].astype(np.float32)
    if level is None:
        level = float(0.5 * (low + high))
    elif level < low or level > high:
        raise ValueError(_OUTSIDE)
    surface = _Surface(volume, cells, level, classic)
    surface.find(mask)
    vertices, normals, values = surface.vertices()
    faces = surface.faces(flipped)
    if spacing is not None:
        vertices = vertices * xp.asarray(spacing)
    if degenerate:
        return vertices, faces, normals, values
    return _without_degenerate(vertices.astype("float32"), faces, normals, values)


class _Surface:
    """The surface of a volume at a level.

    Parameters
    ----------
    volume : cupy.ndarray
        C-contiguous.
    cells : numpy.void
        The struct Cells of cubes.cuh.
    level : float
    classic : bool
    """

    def __init__(self, volume, cells, level, classic):
        self._volume, self._cells, self._level = volume, cells, level
        bytes_, tilings = tables(classic)
        self._tables = xp.asarray(bytes_), tilings
        self._count = int(cells["nz"]) * int(cells["ny"]) * int(cells["nx"])

    def find(self, mask):
        """The cells that it goes through, with their numbers of vertices and faces: 4 launches.

        Of cells that cannot be it prints what scikit-image prints.

        Raises
        ------
        RuntimeError
            There is none, in scikit-image's words.
        Declined
            scikit-image cannot count what there is.
        """
        n = self._count
        if not n:
            raise RuntimeError(_NOTHING)
        self._found, self._fresh = xp.empty(n, "uint16"), xp.empty(n, "uint16")
        mask = None if mask is None else xp.ascontiguousarray(mask).view("uint8")
        args = (self._volume, mask, self._cells, self._level, _single_below(self._level))
        self._launch(self._of_dtype("classify_cells"), (*args, *self._tables, self._found), n)
        tiles = -(-n // _TILE)
        sums = xp.empty((4, tiles), "int64")
        counted = (self._found, self._cells, *self._tables, self._fresh, sums)
        self._launch("count_cells", counted, n)
        ends = xp.cumsum(sums, axis=1)
        self._many, self._vertices, self._faces, impossible = ends[:, -1].tolist()
        for _ in range(impossible):  # as infinities beside elements at the level make them
            print(_IMPOSSIBLE)
        if not self._vertices:
            raise RuntimeError(_NOTHING)
        if max(self._vertices, 3 * self._faces) > _MOST:
            raise Declined("volume has a surface of 2**31 vertices or more; give a smaller one")
        self._bases = xp.empty(n, "uint32")
        self._listed = xp.empty(self._many, "int64"), xp.empty(self._many, "uint32")
        placed = (self._found, self._fresh, n, *self._tables, ends, self._bases, *self._listed)
        self._launch("place_cells", placed, n)

    def vertices(self):
        """Places, normals and values of its vertices: 1 launch."""
        count = self._vertices
        made = xp.empty((count, 3), "float32"), xp.empty((count, 3), "float32")
        made = (*made, xp.empty(count, "float32"))
        args = (self._volume, self._cells, self._level, *self._tables, self._found, self._fresh)
        args += (self._bases, self._listed[0], self._many, *made)
        self._launch(self._of_dtype("emit_vertices"), args, self._many)
        return made

    def faces(self, flipped):
        """Its triangles: 1 launch."""
        made = xp.empty((self._faces, 3), "int32")
        args = (self._cells, *self._tables, self._found, self._fresh, self._bases, *self._listed)
        self._launch("emit_faces", (*args, self._many, flipped, made), self._many)
        return made

    def _of_dtype(self, kernel):
        return f"{kernel}<{c_name(self._volume.dtype)}>"

    def _launch(self, expression, args, work):
        launch(_SOURCE, expression, args, work=work, block=_BLOCK)


def _single_below(level):
    """The largest number of single precision that is not above the level."""
    with np.errstate(over="ignore"):
        single = np.float32(level)
    return np.nextafter(single, np.float32(-np.inf)) if single > np.float64(level) else single


def _without_degenerate(vertices, faces, *arrays):
    """As scikit-image's remove_degenerate_faces, with its dtypes."""
    count, n = len(vertices), len(faces)
    become = xp.arange(count, dtype="int32")
    parents, flat = become.copy(), xp.empty(n, "bool")
    _flat("unite_vertices", (vertices, faces, n, parents, flat), n)
    listed = xp.flatnonzero(flat)
    many = len(listed)
    if not many:
        return vertices, faces.astype("int64"), *arrays
    keys = xp.empty(many, "int64")
    _flat("key_faces", (vertices, faces, listed, many, parents, keys), many)
    keys = xp.sort(keys)
    _flat("merge_vertices", (vertices, faces, keys, many, become), many)
    kept = become == xp.arange(count, dtype="int32")
    numbers = xp.cumsum(kept, dtype="int64") - 1
    faces = numbers[become[faces[~flat]]]
    return vertices[kept], faces, *(array[kept] for array in arrays)


def _flat(kernel, args, work):
    launch(_FLAT, kernel, args, work=work, block=_BLOCK)


def specializations():
    """Every (source, expression) that this room launches beside those of its primitives."""
    for name in C_NAMES.values():
        if name != "bool":
            yield _SOURCE, f"classify_cells<{name}>"
            yield _SOURCE, f"emit_vertices<{name}>"
    for kernel in ("count_cells", "place_cells", "emit_faces"):
        yield _SOURCE, kernel
    for kernel in ("unite_vertices", "key_faces", "merge_vertices"):
        yield _FLAT, kernel
