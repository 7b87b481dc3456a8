"""Times of calls with NumPy arrays: scikit-image's own function and a backend; costs of the bus."""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from .. import interface
from ..dispatch.block import use_backends
from ..scikit_image import function_called
from ..trouble import DeviceTrouble
from .calls import USED, Call, variants

# Pixels. Few are a power of two or near one: rows that lie so far apart share lines of caches,
# which slows scikit-image down. But users have such images, too.
SIDES = (48, 100, 200, 400, 800, 1500, 2048, 3000)
_ROUNDS = 0.02  # seconds for each time
_LONGEST = 0.5  # seconds of a call, after which no larger image is tried
_IMAGES = (1 << 20, 8 << 20, 32 << 20)  # bytes, of which none crosses in pieces
_AHEAD, _CLEARLY = 2, 1.2  # sizes at which the backend is so many times as fast, and then wins
_LARGE, _HOPELESS = 800, 0.5  # side from which a backend that is slower than that has lost
# Waiting for a GPU takes no processor time; on the CPU other programs are not to be measured.
_CLOCKS = {"gpu": time.perf_counter, "cpu": time.thread_time}


def by_scikit_image(call):
    """Run scikit-image's own function; a generator is run to its end."""
    with use_backends():
        return _used(call, function_called(call.name)(**call.arguments))


def by_backend(call, backend):
    """Run the call as a user's with NumPy arrays, where the backend is selected; on one thread.

    Raises
    ------
    DeviceTrouble
        The backend does not take the call.
    """
    with use_backends(backend, threads=1):
        decision = getattr(interface, backend).decide(call.name, (), call.arguments)
        if not decision:
            raise DeviceTrouble(decision.reason)
        return _used(call, decision.run())


def _used(call, result):
    """The result after what the user does with it, where the work is left to that."""
    if use := USED.get(call.name):
        use(result)
    return list(result) if isinstance(result, Iterator) else result


def fastest(*runs, seconds, clock=time.perf_counter, least=3):
    """Shortest times of functions that run in turns, over rounds that take so many seconds.

    Parameters
    ----------
    *runs : callable
    seconds : float
        For each of them, after which no further round begins, but for the first `least` ones. They
        count from the end of the first round, which loads and compiles.
    clock : callable
        ``time.process_time`` does not see what other programs take from the processor.
    least : int
        Rounds.

    Returns
    -------
    list of float
        Seconds.
    """
    times = [[_seconds(run, clock) for run in runs]]
    end = time.perf_counter() + len(runs) * seconds
    while len(times) < least or time.perf_counter() < end:
        times.append([_seconds(run, clock) for run in runs])
    return [min(each) for each in zip(*times, strict=True)]


def _seconds(run, clock):
    start = clock()
    run()
    return clock() - start


def measured(name, backend):
    """Times of both sides of a function: by class of dtypes, what `model.curves` gives.

    Empty where the backend takes none of the calls.
    """
    found = {}
    for dtypes, work, changes in variants(name):
        points = _curve(name, dtypes, work, changes, backend)
        if len(points) > 1:
            found.setdefault(dtypes, []).append((work, points))
    return found


def _curve(name, dtypes, work, changes, backend):
    """Elements, seconds of scikit-image and of the backend, of growing images.

    Until it is clear who wins. Then the two largest images that do not take too long are measured
    too: where the speed of memory decides, the other one may win.
    """
    points, sides = [], list(SIDES)
    while sides:
        side = sides.pop(0)
        call = Call(name, dtypes, work, changes, side)
        ways = partial(by_scikit_image, call), partial(by_backend, call, backend)
        try:
            times = fastest(*ways, seconds=_ROUNDS, clock=_CLOCKS[backend])
        except DeviceTrouble:  # declined, or out of memory: larger images are too
            break
        except ValueError:  # too small an image for the function
            continue
        points.append((call.elements, *times))
        longest, gains = max(times), [own / ours for _, own, ours in points[-_AHEAD:]]
        if longest > _LONGEST or (side >= _LARGE and gains[0] >= gains[-1] < _HOPELESS):
            break
        if len(points) > _AHEAD and min(gains) > _CLEARLY:
            sides = [each for each in sides if longest * (each / side) ** 2 < _LONGEST][-2:]
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
        copies = [partial(copy, array) for array in arrays]
        pairs = zip(arrays, fastest(*copies, seconds=0.1), strict=True)
        return float(np.median([a.nbytes / max(each - begin, 1e-9) for a, each in pairs]))

    def launches(count=200):
        array = cp.zeros(1, "float32")
        cp.cuda.get_current_stream().synchronize()
        for _ in range(count):
            array += 1
        cp.cuda.get_current_stream().synchronize()

    def copy_on_device():
        target[...] = source
        cp.cuda.get_current_stream().synchronize()

    (round_trip,) = fastest(lambda: to_host(to_device(np.ones(1))), seconds=0.2)
    begin = round_trip / 2
    images = [np.ones(nbytes, "uint8") for nbytes in _IMAGES]
    on_device = [to_device(image) for image in images]
    source = cp.zeros(1 << 28, "uint8")
    target = cp.empty_like(source)
    launching, copying = fastest(launches, copy_on_device, seconds=0.1)
    return {
        "launch": launching / 200,
        "copy": begin,
        "to_device": rate(upload, images),
        "to_host": rate(to_host, on_device),
        "memory": 2 * source.nbytes / copying,
    }
