"""Determinants of the Hessian by boxes in an integral image, as launches of a plan.

By Bay et al., "SURF: Speeded Up Robust Features", 2006.
"""

import numpy as np

from ...device import c_name
from ...device.launches import MOST_BLOCKS, Array, Launch, Launches
from ...plan import Plan
from ...primitives.gaussian import DOUBLE

MOST_SCALES = 64  # of hessian_boxes.cu
_SOURCE = "feature/hessian_boxes.cu"
_COLUMNS, _ROWS = 8, 4  # COLUMNS and ROWS there, of a block
_HIGH, _WIDE = 16, 32  # HIGH and WIDE there
_SIZES = np.dtype(
    [("weight", "f8", MOST_SCALES), ("size", "i4", MOST_SCALES), ("narrow", "i4")], align=True
)


def determinants(shape, source, sizes, dtype) -> Plan:
    """Plan whose run makes a cube of determinants, for each size of the largest box.

    3 launches: 2 for the integral image, which read the image once and write, read and write
    the sums once (the second launch in place), and 1, which reads them.
    """
    struct, (rows, columns) = np.zeros((), _SIZES), shape
    for scale, size in enumerate(map(int, sizes)):
        struct["size"][scale], struct["weight"][scale] = size, 1 / size / size
    struct["narrow"] = rows * columns + 2 * max(sizes) + MOST_BLOCKS * _HIGH < 1 << 31
    image, sums = Array(shape, source, "image"), Array(shape, DOUBLE)
    cube = Array((len(sizes), rows, columns), dtype)
    boxes = f"hessian_boxes<{c_name(dtype)}>"
    arguments = (sums, cube, rows, columns, struct[()])
    grid = -(-columns // _WIDE), min(-(-rows // _HIGH), MOST_BLOCKS), len(sizes)
    steps = [*integral(image, sums), Launch(_SOURCE, boxes, arguments, cube.size, grid=grid)]
    launches = Launches(steps, cube)
    written = launches.cost.written + sums.nbytes
    return Plan(launches, cost=launches.cost._replace(written=written))


def integral(image, sums) -> list[Launch]:
    """Launches that make the integral image of a plane in double, in NumPy's order of additions."""
    rows, columns = image.shape
    down = f"sum_columns<{c_name(image.dtype)}>"
    return [
        Launch(_SOURCE, down, (image, sums, rows, columns), -(-columns // _COLUMNS) * 256),
        Launch(_SOURCE, "sum_rows", (sums, rows, columns), -(-rows // _ROWS) * 256),
    ]
