"""skimage.measure.mesh_surface_area, equal to the last bit.

Cost: 1 launch. Faces are read once, the vertices of each of them where they lie; a number and a
flag come to the host. Areas are added in NumPy's order. Worth it where the mesh is on the device,
as `marching_cubes` leaves it.
"""

import functools

import numpy as np

from ...device import c_name
from ...device.launches import Array, Launch, Launches
from ...devices import to_host
from ...plan import Declined, Plan
from ...primitives.arguments import refuse_but_arrays
from ...primitives.pairwise import depth, halves, partial_sums

_SOURCE, _BLOCK = "measure/mesh_area.cu", 256
_INTS = np.dtype(np.int32), np.dtype(np.int64)


def mesh_surface_area(verts, faces):
    """Area of the triangles of a mesh: `skimage.measure.mesh_surface_area`."""
    refuse_but_arrays(verts=verts)
    if not isinstance(getattr(faces, "dtype", None), np.dtype):
        raise Declined("faces is not an array; give numpy.asarray(faces)")
    if verts.dtype.char not in "fd":
        raise Declined("verts is not of floats of 32 or 64 bits; give verts.astype(float)")
    if verts.ndim != 2 or verts.shape[1] != 3 or not verts.size:
        raise Declined("verts is not of rows of three numbers; give such a table")
    if faces.dtype.kind not in "iu" or faces.dtype == np.uint64:
        raise Declined("faces is not of signed integers; give faces.astype(numpy.int64)")
    if faces.ndim != 2 or faces.shape[1] < 3 or not faces.size:
        raise Declined("faces is not of rows of three numbers; give such a table")
    return _planned(verts.shape, verts.dtype, faces.shape, faces.dtype)


@functools.lru_cache(maxsize=64)
def _planned(shape, dtype, table, number):
    index = number if number in _INTS else np.dtype(np.int64)
    verts = Array(shape, dtype, "verts")
    faces = Array(table, index, "faces", converted=number != index)
    n, sums = table[0], partial_sums(table[0])
    found, wrong = Array((1,), dtype), Array((1,), np.dtype(np.uint32), zero=True)
    halving = np.int32(depth(n)), np.int32(halves(n))
    partials, arrived = Array((sums,), dtype), Array((1,), np.dtype(np.uint32), zero=True)
    args = (verts, shape[0], faces, table[1], n, *halving, partials, arrived, wrong, found)
    kernel = f"mesh_area<{c_name(dtype)}, {c_name(index)}>"
    launches = Launches(
        [Launch(_SOURCE, kernel, args, work=sums * _BLOCK, block=_BLOCK)], (found, wrong)
    )
    return Plan(functools.partial(_run, launches), launches=launches)


def _run(launches, **mesh):
    found, wrong = launches(**mesh)
    if int(wrong[0]):
        raise Declined("faces has numbers that no vertex has; give numbers from 0 on")
    return to_host(found)[0] / 2.0


def samples():
    """Plans that together ask for every kernel of this room."""
    for dtype in (np.float32, np.float64):
        for number in _INTS:
            verts = Array((4, 3), np.dtype(dtype))
            yield mesh_surface_area(verts, Array((2, 3), number))
