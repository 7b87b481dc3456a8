"""What the way of a call costs, in Python: `python -m benchmarks.way`.

Each number is the smallest of many runs of this process, beside the same call through
scikit-image 0.26's own dispatcher with the same backend. `SKIMAGE_GPU_SIMULATOR=1` measures
on a machine without a GPU; the simulator's stand-in for CuPy then makes up a part of an
accepted call.
"""

import importlib.metadata
import os
import site
import subprocess
import sys
import time
import timeit
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent

_INFO = """
import time, skimage.util._backends, sys
before = set(sys.modules)
start = time.perf_counter()
from skimage_gpu_backend.info import gpu
gpu()
print(time.perf_counter() - start)
assert not {"numpy", "cupy", "cucim"} & {m.partition(".")[0] for m in set(sys.modules) - before}
"""


def microseconds(call, number=50, repeat=1000):
    """Smallest mean time of `call` over `repeat` rounds, short ones: others run here too."""
    return 1e6 * min(timeit.repeat(call, number=number, repeat=repeat)) / number


def start_of_python():
    """Time that Python's start takes for our .pth file where nothing is selected."""
    selecting = ("SKIMAGE_BACKENDS", "SKIMAGE_DISPATCHING", "SKIMAGE_BACKEND_PRIORITY")
    kept = {name: os.environ.pop(name, None) for name in (*selecting, "SKIMAGE_GPU_SIMULATOR")}
    loaded = set(sys.modules)
    (pth,) = ROOT.glob("zz_*.pth")
    try:
        return microseconds(lambda: site.addpackage(str(ROOT), pth.name, set()), 20)
    finally:
        assert not [name for name in set(sys.modules) - loaded if "skimage_gpu" in name]
        os.environ.update({name: value for name, value in kept.items() if value is not None})


def info():
    """Time to import and call the entry point, beyond `skimage.util._backends`."""
    command = [sys.executable, "-c", _INFO]
    runs = (subprocess.check_output(command, cwd=ROOT, text=True) for _ in range(15))
    return 1e6 * min(map(float, runs))


class Ways:
    """One function of scikit-image: itself, through our dispatcher and through upstream's."""

    def __init__(self):
        from skimage.metrics import mean_squared_error
        from skimage.util import _backends

        from skimage_gpu_backend import enable
        from skimage_gpu_backend.dispatch.trampoline import copy_of
        from skimage_gpu_backend.info import gpu

        # where the package is installed, upstream has wrapped the function already
        own = copy_of(getattr(mean_squared_error, "__wrapped__", mean_squared_error))
        point = importlib.metadata.EntryPoint(
            "gpu", "skimage_gpu_backend.interface:gpu", "skimage_backends"
        )
        installed = {"gpu": {"implementation": point, "info": gpu()}}
        _backends.all_backends = lambda: installed
        self.upstream = _backends.dispatchable(own)
        enable()
        self.ours = mean_squared_error
        self.own = own


def on_scikit_image(ways):
    """Times above scikit-image's own function of a call that ends there."""
    import numpy as np

    image = np.zeros((4, 4))
    own, ours, upstream = (
        microseconds(lambda way=way: way(image, image))
        for way in (ways.own, ways.ours, ways.upstream)
    )
    return ours - own, upstream - own


class Reached(BaseException):
    """Ends an accepted call at the place up to which it is measured."""


def accepted(ways, place):
    """Times of a call with arrays on the device, up to `place` in its room."""
    import cupy as cp

    from skimage_gpu_backend.functions.metrics import errors

    image = cp.zeros((4, 4))
    ways.ours(image, image)  # imports and compiles

    def reached(*args, **kwargs):
        raise Reached

    kept = getattr(errors, place)
    setattr(errors, place, reached)
    try:
        return tuple(_time_to_reach(way, image) for way in (ways.ours, ways.upstream))
    finally:
        setattr(errors, place, kept)


def _time_to_reach(way, image, runs=5000):
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        try:
            way(image, image)
        except Reached:
            best = min(best, time.perf_counter() - start)
    return 1e6 * best


def with_profile(ways, image, rounds=300):
    """Time of a call while a profile is on above the same call without one, in turns."""
    from skimage_gpu_backend import profile

    def call():
        return ways.ours(image, image)

    without, watched = [], []
    for _ in range(rounds):
        without.append(microseconds(call, 200, 1))
        with profile():
            call()  # the first of its line makes a row in the profile
            watched.append(microseconds(call, 200, 1))
    return min(watched) - min(without), min(watched), min(without)


def with_tensors(ways):
    """Time of a call with another library's arrays above the same call by hand.

    The library is one of the tests', which speaks DLPack as PyTorch does; by hand, its arrays
    become CuPy arrays by `from_dlpack`. Beside it the times of the two calls.
    """
    import cupy as cp

    sys.path.insert(0, str(ROOT / "tests" / "adapt" / "libraries"))
    from tensors import Tensor

    images = [Tensor(cp.zeros((4, 4))) for _ in range(2)]

    def by_hand():
        return ways.ours(*(cp.from_dlpack(image) for image in images))

    by_hand(), ways.ours(*images)  # imports
    whole, hand = (microseconds(call, 20, 500) for call in (lambda: ways.ours(*images), by_hand))
    return whole - hand, whole, hand


def on_cpu():
    """Times of `sobel`: a repeated call of one launch by ``cpu``, and a declined call's share.

    The share is what a call with an image of 8 x 8 takes above scikit-image's own time, as a part
    of that, since ``cpu`` declines it.
    """
    import numpy as np
    from skimage.filters import sobel

    from skimage_gpu_backend import use_backends

    small, tiny = np.zeros((64, 64), "float32"), np.zeros((8, 8))
    with use_backends("cpu", threads=1):
        os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "0"
        repeated = microseconds(lambda: sobel(small))
        os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "4k"
        declined = microseconds(lambda: sobel(tiny))
    del os.environ["SKIMAGE_BACKENDS_MIN_SIZE"]
    own = microseconds(lambda: sobel.__wrapped__(tiny))
    return repeated, declined / own - 1


def main():
    """Print the table."""
    start = start_of_python()
    loading = info()
    from skimage_gpu_backend.dispatch.startup import start as begin

    begin()
    import numpy as np

    warnings.simplefilter("ignore")
    ways = Ways()
    os.environ.pop("SKIMAGE_BACKENDS", None)
    nothing = on_scikit_image(ways)
    profiled = {"nothing selected": with_profile(ways, np.zeros((4, 4)))}
    os.environ["SKIMAGE_BACKENDS"] = "gpu"
    declined = on_scikit_image(ways)  # for its size
    profiled["declined"] = with_profile(ways, np.zeros((4, 4)))
    print(f"{'':42} {'here':>9} {'upstream':>9} {'ratio':>6}  target")
    for label, here, upstream, target in (
        ("start of Python, nothing selected", start, None, "300 us"),
        ("info, imported and called", loading, None, "2000 us"),
        ("nothing selected, above scikit-image's own", *nothing, ""),
        ("declined call, above scikit-image's own", *declined, "3 us"),
        ("accepted call, to its plan's run", *accepted(ways, "_errors"), ""),
        ("accepted call, to the first launch", *accepted(ways, "launch"), "20 us"),
    ):
        compared = f"{upstream:6.2f} us {here / upstream:6.2f}" if upstream else " " * 16
        print(f"{label:42} {here:6.2f} us {compared}  {target}")

    repeated, share = on_cpu()
    print(f"{'repeated call on the CPU, one launch':42} {repeated:6.2f} us {'':16}  40 us")
    print(f"{'declined call of sobel, 8 x 8':42} {100 * share:6.1f} % {'':17}  25 %")

    import cupy as cp

    profiled["run, one launch, one copy"] = with_profile(ways, cp.zeros((4, 4)), 100)
    for which, (more, watched, without) in profiled.items():
        both = f"({watched:.1f}, without {without:.1f})"
        print(f"{f'profile on, a call {which}':42} {more:6.2f} us {both:>24}  2 us")

    own, whole, hand = with_tensors(ways)
    both = f"({whole:.1f}, by hand {hand:.1f})"
    print(f"{'arrays of another library, above by hand':42} {own:6.2f} us {both:>24}  10 us")


if __name__ == "__main__":
    main()
