"""Times of calls: scikit-image's own function, the round trip of NumPy arrays, and its parts."""

import time
from collections.abc import Iterator

import numpy as np

from .. import interface
from ..dispatch.block import use_backends
from ..scikit_image import function_called
from ..trouble import DeviceTrouble
from .calls import USED, Call, variants

SIDES = tuple(48 * 2**step for step in range(7))  # pixels, up to 3072
_ROUNDS = 0.02  # seconds for each time
_LONGEST = 0.5  # seconds of a call, after which no larger image is tried
_IMAGES = (1 << 20, 8 << 20, 32 << 20)  # bytes, of which none crosses in pieces
_AHEAD = 2  # sizes at which the GPU wins, after which none is


def on_cpu(call):
    """Run scikit-image's own function; a generator is run to its end."""
    with use_backends():
        return _used(call, function_called(call.name)(**call.arguments))


def round_trip(call):
    """Run the call as a user's with NumPy arrays, where the backend is selected.

    Raises
    ------
    DeviceTrouble
        The GPU does not take the call.
    """
    with use_backends("gpu"):
        decision = interface.gpu.decide(call.name, (), call.arguments)
        if not decision:
            raise DeviceTrouble(decision.reason)
        return _used(call, decision.run())


def _used(call, result):
    """The result after what the user does with it, where the work is left to that."""
    if use := USED.get(call.name):
        use(result)
    return list(result) if isinstance(result, Iterator) else result


def fastest(run, seconds, clock=time.perf_counter, least=3):
    """Shortest time of `run` over rounds that take so many seconds together.

    Parameters
    ----------
    run : callable
    seconds : float
        After which no further round begins, but for the first `least` ones.
    clock : callable
        ``time.process_time`` does not see what other programs take from the processor.
    least : int
        Rounds.
    """
    end = time.perf_counter() + seconds
    best, rounds = float("inf"), 0
    while rounds < least or time.perf_counter() < end:
        start = clock()
        run()
        best = min(best, clock() - start)
        rounds += 1
    return best


def measured(name):
    """Times of both sides of a function: by class of dtypes, what `model.curves` gives.

    Empty where the GPU takes none of the calls.
    """
    found = {}
    for dtypes, work, changes in variants(name):
        points = _curve(name, dtypes, work, changes)
        if len(points) > 1:
            found.setdefault(dtypes, []).append((work, points))
    return found


def _curve(name, dtypes, work, changes):
    """Elements, seconds on the CPU and on the GPU, of growing images until the GPU is ahead."""
    points, ahead = [], 0
    for side in SIDES:
        call = Call(name, dtypes, work, changes, side)
        try:
            on_cpu(call)  # the first call of a process loads and compiles
            round_trip(call)
            cpu, gpu = (
                fastest(lambda way=way, call=call: way(call), _ROUNDS)
                for way in (on_cpu, round_trip)
            )
        except DeviceTrouble:  # declined, or out of memory: larger images are too
            break
        except ValueError:  # too small an image for the function
            continue
        points.append((call.elements, cpu, gpu))
        ahead = ahead + 1 if gpu < cpu else 0
        if max(cpu, gpu) > _LONGEST or (ahead >= _AHEAD and len(points) > _AHEAD):
            break
    return points


def costs():
    """What a launch, a copy and a byte cost on this machine: parts of `model.TYPICAL`."""
    import cupy as cp

    from ..adapt.transfer import to_device, to_host

    def upload(array):
        to_device(array)
        cp.cuda.get_current_stream().synchronize()

    def rate(copy, arrays):
        """Bytes per second, the middle one of those of the sizes."""
        seconds = [fastest(lambda array=array: copy(array), 0.1) - begin for array in arrays]
        pairs = zip(arrays, seconds, strict=True)
        return float(np.median([array.nbytes / max(each, 1e-9) for array, each in pairs]))

    def launches(count=200):
        array = cp.zeros(1, "float32")
        cp.cuda.get_current_stream().synchronize()
        for _ in range(count):
            array += 1
        cp.cuda.get_current_stream().synchronize()

    def copy_on_device():
        target[...] = source
        cp.cuda.get_current_stream().synchronize()

    begin = fastest(lambda: to_host(to_device(np.ones(1))), 0.2) / 2
    images = [np.ones(nbytes, "uint8") for nbytes in _IMAGES]
    on_device = [to_device(image) for image in images]
    source = cp.zeros(1 << 28, "uint8")
    target = cp.empty_like(source)
    return {
        "launch": fastest(launches, 0.1) / 200,
        "copy": begin,
        "to_device": rate(upload, images),
        "to_host": rate(to_host, on_device),
        "memory": 2 * source.nbytes / fastest(copy_on_device, 0.1),
    }
