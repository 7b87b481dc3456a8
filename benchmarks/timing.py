"""Times of the ways of a call, which take turns; medians."""

import contextlib
import math
import signal
import statistics
import time

ROUNDS = 7
ROUNDS_ON_DEVICE = 5
_COPIED = 1 << 28  # bytes of a copy that holds the stream up
_HELD = 0.05  # seconds that it is held up at most


class TooLong(BaseException):
    """Ends a call; it is no exception that a library handles."""


@contextlib.contextmanager
def within(seconds, error=TooLong):
    """End what takes longer, when it is back in Python, by what `error` makes of a text."""

    def end(*_):
        raise error(f"takes more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def in_turns(runs, seconds=1.0, limit=30.0):
    """Time each way from call to result.

    Parameters
    ----------
    runs : dict
        Way -> callable, whose result is on the host.
    seconds : float
        After which no further round begins; there is one at least.
    limit : float
        Seconds that a first call may take.

    Returns
    -------
    dict
        Way -> ``first_us``, ``us`` and ``rounds``: the first call, the median of the later ones,
        and their number; or ``refused``, the error.
    """
    found, later = {}, {}
    for way, run in runs.items():
        try:
            with within(limit):
                found[way] = {"first_us": round(_wall(run), 1)}
        except (Exception, TooLong) as error:
            found[way] = refused(error)
        else:
            later[way] = run
    for way, seen in in_rounds(later, seconds).items():
        found[way] |= seen
    return found


def in_rounds(runs, seconds=1.0, rounds=ROUNDS):
    """What `in_turns` returns, without first calls; `rounds` is the largest number of them."""
    times = {way: [] for way in runs}
    end = time.perf_counter() + seconds
    for turn in range(rounds):
        if turn and time.perf_counter() > end:
            break
        for way, seen in times.items():
            seen.append(_wall(runs[way]))
    return {
        way: {"us": round(statistics.median(seen), 1), "rounds": len(seen)}
        for way, seen in times.items()
    }


def refused(error) -> dict:
    """What is kept of a way that failed."""
    return {"refused": f"{type(error).__name__}: {error}"[:200]}


def _wall(call):
    """Microseconds of a call."""
    start = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - start)


def copy_bandwidth(size=1 << 30, rounds=9):
    """Bytes per second, read and written, of a copy from device memory to device memory."""
    import cupy as cp

    source, target = cp.zeros(size, "uint8"), cp.empty(size, "uint8")
    times = [_between_events(lambda: cp.copyto(target, source)) for _ in range(rounds)]
    return 2 * size / (1e-3 * statistics.median(times))


def _between_events(call):
    """Milliseconds between events before and after what a call asks the device for."""
    import cupy as cp

    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    call()
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end)


class Timer:
    """Times of the device, of calls with arrays on it.

    Attributes
    ----------
    bandwidth : float
        Bytes a second, read and written, of a copy.
    """

    def __init__(self):
        import cupy as cp

        self._source, self._target = (cp.zeros(_COPIED, "uint8") for _ in range(2))
        self.bandwidth = copy_bandwidth(_COPIED)

    def device(self, call, held=0.0):
        """Microseconds of the device and of the host, and whether the host waited.

        Parameters
        ----------
        call : callable
        held : float
            Seconds for which copies hold the stream up, at least, so that the time of the device
            has none of the host's in it.
        """
        import cupy as cp

        start, end = cp.cuda.Event(), cp.cuda.Event()
        cp.cuda.Device().synchronize()
        for _ in range(math.ceil(held * self.bandwidth / (2 * _COPIED))):
            cp.copyto(self._target, self._source)
        start.record()
        begin = time.perf_counter()
        result = call()
        host = time.perf_counter() - begin
        waited = bool(held) and start.done
        end.record()
        end.synchronize()
        del result
        us = 1e3 * cp.cuda.get_elapsed_time(start, end)
        return {"us": us, "host_us": 1e6 * host, "waited": waited}


def on_device(timer, runs, limit):
    """Time what each way asks the device for.

    Parameters
    ----------
    timer : Timer
    runs : dict
        Way -> callable.
    limit : float
        Seconds that a call may take to be timed more than once.

    Returns
    -------
    dict
        Way -> ``us`` and ``host_us``, medians; ``waits`` where the host waited for the device
        within the call, whose time then has the host's in it; ``first_us`` of the first call; or
        ``refused``.
    """
    found, held = {}, {}
    for way, run in runs.items():
        try:
            with within(100 * limit):
                first = timer.device(run)
                again = timer.device(run)
        except (Exception, TooLong) as error:
            found[way] = refused(error)
            continue
        found[way] = {"first_us": round(first["host_us"], 1), "waits": True, **_medians([again])}
        longest = 1e-6 * max(again["us"], again["host_us"])
        if longest <= limit:
            held[way] = min(1.5 * 1e-6 * again["host_us"] + 2e-4, _HELD)
    seen = {way: [] for way in held}
    for _ in range(ROUNDS_ON_DEVICE):
        for way in seen:
            seen[way].append(timer.device(runs[way], held[way]))
    for way, rounds in seen.items():
        waits = sum(each["waited"] for each in rounds) > ROUNDS_ON_DEVICE // 2
        if waits:
            rounds = [timer.device(runs[way]) for _ in range(ROUNDS_ON_DEVICE)]
        else:
            rounds = [each for each in rounds if not each["waited"]]
        found[way] |= {"waits": waits, **_medians(rounds)}
    return found


def _medians(rounds):
    return {
        key: round(statistics.median(each[key] for each in rounds), 2) for key in ("us", "host_us")
    }
