"""Times on this machine's GPU of calls that are predicted: `python -m benchmarks.predict.timed`.

Calls with arrays on the device, of this package and of cuCIM in turns. What is timed is what the
device does: copies hold the stream up while the host asks for a call's work, so that the host's own
time, which is told beside it, is in none. A call that waits for the device in between is timed as
it is, and told to. Rows go to ``times.json`` of this device's results; those that are there are not
timed again. `python -m benchmarks.predict.measured` sets the predictions beside them.
"""

import argparse
import json
import math
import os
import statistics
import sys
import time
import warnings

from skimage_gpu_backend.availability import choose_device

SIDES = (512, 4096)
ROUNDS = 5
WAYS = ("gpu", "cucim")
LONGEST = 0.5  # seconds that a call may be expected to take
_COPIED = 1 << 28  # bytes of a copy that holds the stream up
_HELD = 0.05  # seconds that it is held up at most


class Timer:
    """Times of what a call asks the device for.

    Attributes
    ----------
    bandwidth : float
        Bytes a second, read and written, of a copy.
    """

    def __init__(self):
        import cupy as cp

        from benchmarks.ways import copy_bandwidth

        self._source, self._target = (cp.zeros(_COPIED, "uint8") for _ in range(2))
        self.bandwidth = copy_bandwidth(_COPIED)

    def device(self, call, held=0.0):
        """Microseconds of the device and of the host, and whether the host waited.

        Parameters
        ----------
        call : callable
        held : float
            Seconds for which the stream is held up at least.
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


def timed(timer, runs, limit):
    """What each way's call takes.

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
        within the call; ``first_us`` of the first call; or ``refused``.
    """
    told, held = {}, {}
    for way, run in runs.items():
        try:
            first = timer.device(run)
            again = timer.device(run)
        except Exception as error:
            told[way] = {"refused": f"{type(error).__name__}: {error}"[:200]}
            continue
        told[way] = {"first_us": round(first["host_us"], 1), "waits": True, **_rounded([again])}
        longest = 1e-6 * max(again["us"], again["host_us"])
        if longest <= limit:
            held[way] = min(1.5 * 1e-6 * again["host_us"] + 2e-4, _HELD)
    seen = {way: [] for way in held}
    for _ in range(ROUNDS):
        for way in seen:
            seen[way].append(timer.device(runs[way], held[way]))
    for way, rounds in seen.items():
        waits = sum(each["waited"] for each in rounds) > ROUNDS // 2
        if waits:
            rounds = [timer.device(runs[way]) for _ in range(ROUNDS)]
        else:
            rounds = [each for each in rounds if not each["waited"]]
        told[way] |= {"waits": waits, **_rounded(rounds)}
    return told


def _rounded(rounds):
    return {
        key: round(statistics.median(each[key] for each in rounds), 2) for key in ("us", "host_us")
    }


def standard_calls(names):
    """Yield function, images and arguments of the benchmark's standard calls."""
    from benchmarks.calls import calls
    from tests.differential.sweeps import SWEEPS

    for sweep in SWEEPS:
        if not names or any(part in sweep.name for part in names):
            for images, arguments in calls(sweep):
                if ", " not in images:
                    yield sweep.name, images, arguments


class Rows:
    """Rows of results, which are in a file as soon as they are made.

    Parameters
    ----------
    file : str
        Name in the folder of this device's results.
    module : str
        That makes them.
    timer : Timer
    """

    def __init__(self, file, module, timer):
        from benchmarks.environment import environment, results_folder

        self._file = results_folder() / file
        self._where = environment(module) | {"copy_bandwidth": timer.bandwidth}
        self._rows = json.loads(self._file.read_text())["rows"] if self._file.exists() else []

    def calls(self, names, side):
        """Yield function, images and `Call` of what has no row of this size yet."""
        from benchmarks.calls import sized
        from benchmarks.ways import Call

        for name, images, arguments in standard_calls(names):
            if self.of(name, images, side) is None:
                yield name, images, Call(name, sized(name, arguments, side))

    def of(self, name, images, side):
        """A row, or None."""
        asked = {"function": name, "images": images, "side": side}.items()
        return next((row for row in self._rows if asked <= row.items()), None)

    def add(self, row):
        """Keep and print a row."""
        from benchmarks.environment import write_rows

        self._rows.append(row)
        print(json.dumps(row), flush=True)
        write_rows(self._file, self._where, self._rows)


def there() -> bool:
    """Whether there is a GPU to be timed, which is chosen and is to take calls of all sizes."""
    from cuda_simulator import active

    choose_device()
    if active():
        print("there is no GPU: nothing is timed")
        return False
    os.environ |= {"SKIMAGE_GPU_MIN_SIZE": "0", "SKIMAGE_GPU_NOTIFY": "none"}
    warnings.simplefilter("ignore")
    return True


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.predict.timed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("functions", nargs="*", help="parts of functions' names; default: all")
    parser.add_argument("--sides", type=int, nargs="+", default=SIDES, help="pixels, growing")
    parser.add_argument("--limit", type=float, default=0.3, help="seconds, of a call timed once")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no call after")
    options = parser.parse_args(arguments)
    end = time.monotonic() + options.seconds
    if not there():
        return 0
    timer = Timer()
    rows, smaller = Rows("times.json", "benchmarks.predict.timed", timer), None
    for side in options.sides:
        for name, images, call in rows.calls(options.functions, side):
            if time.monotonic() > end:
                print("the time is up; the same command goes on")
                return 0
            row = {"function": name, "images": images, "side": side, "source": call.source()}
            before = smaller and rows.of(name, images, smaller)
            runs = {}
            for way in WAYS:
                us = before[way].get("us", 0) if before else 0
                if us * (side / (smaller or side)) ** 2 > 1e6 * LONGEST:
                    row[way] = {"left_out": "would take too long"}
                else:
                    runs[way] = lambda way=way, call=call: call.run(way)
            rows.add(row | timed(timer, runs, options.limit))
        smaller = side
    return 0


if __name__ == "__main__":
    sys.exit(main())
