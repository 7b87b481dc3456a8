"""When the GPU pays, from a model: bytes over the bus, plus launches, against scikit-image's time.

A round trip takes a fixed time for the call, so much for each launch and each copy, and for each
byte that crosses the bus or that kernels move. How many of them a function needs, and how long
scikit-image takes, is in `table.json`, which `python -m benchmarks.sizes` made.
"""

import functools
import itertools
import json
import math
from pathlib import Path

# Of a GPU in a PCIe 4.0 slot and memory that is not pinned; not measured. `tune` measures what it
# can of them on the user's machine.
TYPICAL = {
    "call": 50e-6,  # seconds of Python for a round trip
    "launch": 5e-6,  # seconds
    "copy": 15e-6,  # seconds to begin a copy and to wait for it
    "to_device": 8e9,  # bytes per second
    "to_host": 8e9,  # bytes per second
    "memory": 500e9,  # bytes per second
}


_AHEAD = 1.05  # times as fast: more than what measuring is off by


@functools.cache
def shipped(file="table.json"):
    """The table: by function and class of dtypes, a row for each work.

    A row is the work; pairs of elements (of all images) and microseconds that scikit-image
    takes; bytes of the result for each element; launches; copies; bytes that kernels move for
    each element. A row of ``cpu.json`` is what `curves` gives.
    """
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    return json.loads(text)["functions"]


def curves(name, dtypes, itemsize, machine):
    """Seconds on CPU and GPU, for each work of a function in the shipped table.

    Parameters
    ----------
    name : str
    dtypes : str
        Class of dtypes.
    itemsize : int
        Bytes of an element of the images.
    machine : dict
        As `TYPICAL`.

    Returns
    -------
    list of (float, list of (float, float, float))
        Work; elements, seconds on the CPU, seconds on the GPU. Empty for a function that the table
        does not have.
    """
    found = []
    for work, times, out, launches, copies, moved in of_class(shipped().get(name, {}), dtypes):
        fixed = machine["call"] + launches * machine["launch"] + copies * machine["copy"]
        crossing = itemsize / machine["to_device"] + out / machine["to_host"]
        each = crossing + moved / machine["memory"]
        points = [(count, 1e-6 * us, fixed + each * count) for count, us in times]
        found.append((work, points))
    return found


def of_class(rows, dtypes):
    """Rows of a class of dtypes, of another where the function was not measured in this one."""
    return rows.get(dtypes) or next((rows[other] for other in sorted(rows) if rows[other]), [])


def crossover(points) -> float:
    """Elements from which the GPU is the faster one, on straight lines through the points.

    Parameters
    ----------
    points : list of (float, float, float)
        Elements, seconds on the CPU and on the GPU, by growing size; two at least.

    Returns
    -------
    float
        0 where it always is, infinity where it never is.
    """
    gains = [(count, cpu - gpu) for count, cpu, gpu in points]
    lines = list(itertools.pairwise(gains))
    (before, gain_before), (last, gain) = lines[-1]
    slope = (gain - gain_before) / (last - before)
    if slope <= 0 and gain <= 0:
        return float("inf")
    if slope > 0 and gain <= 0:
        return last - gain / slope
    for (one, low), (other, high) in reversed(lines):
        if low <= 0:
            return one - low * (other - one) / (high - low)
    (one, low), (other, high) = lines[0]
    if high <= low:  # the GPU wins by more and more towards nothing
        return 0.0
    return max(0.0, one - low * (other - one) / (high - low))


def lasting_crossover(points) -> float:
    """Elements from which the backend is clearly ahead, and is not behind at any larger size.

    As it was measured, without a guess below the smallest size or beyond the largest one.

    Parameters
    ----------
    points : list of (float, float, float)
        Elements, seconds of scikit-image and of the backend, by growing size.

    Returns
    -------
    float
        Infinity where there is none.
    """
    gains = [(count, theirs / ours) for count, theirs, ours in points]
    behind = max((place for place, (_, gain) in enumerate(gains) if gain < 1), default=-1)
    ahead = (place for place, (_, gain) in enumerate(gains) if gain >= _AHEAD and place > behind)
    first = next(ahead, None)
    if first is None:
        return math.inf
    count, gain = gains[first]
    if first == 0:
        return count
    before, low = gains[first - 1]
    return before * (count / before) ** ((_AHEAD - low) / (gain - low))


def is_ahead_beyond(rows, work) -> bool:
    """Whether the backend is still ahead where a call asks for more work than was measured.

    How many times as fast it is at the largest images is taken to go on as a power of the work:
    scikit-image's rank filters take a time that grows with the side of a footprint, ours with its
    elements.

    Parameters
    ----------
    rows : list of (float, list of (float, float, float))
        As `curves` gives them.
    work : float
    """
    gains = [(at, points[-1][1] / points[-1][2]) for at, points in rows[-2:]]
    (before, gain_before), (last, gain) = gains[0], gains[-1]
    if work <= last or not 0 < before < last:
        return True
    power = math.log(gain / gain_before) / math.log(last / before)
    return gain * (work / last) ** power >= _AHEAD
