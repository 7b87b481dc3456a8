"""Kernels on the device: found where they are kept, or compiled, once per specialization."""

import contextlib
import sys
import threading
import time

from .. import availability
from ..catalog import spoken
from ..devices import CPU
from ..devices.cuda.lazy import cp
from ..trouble import KernelCompileError
from . import cubins
from .compile import compile_image, target_of
from .source import kernel_source

LONG = 1.0  # seconds of compilation after which it is reported

loaded = {}  # (source, expression, device) -> kernel
reported = False  # whether this process has reported that it compiles
_waited = 0.0  # seconds of compilation until then
forgotten = 0  # times that `forget` was called
_refused = {}  # what does not compile -> why
_lock = threading.RLock()
asking = threading.local()  # its `name`: the function whose call needs kernels


def load(kernels, device):
    """Have kernels in `loaded`; those that are to be compiled are compiled side by side.

    Parameters
    ----------
    kernels : sequence of (str, str)
        Source below ``kernels/`` and name expression.
    device : int or str
        The current device.

    Raises
    ------
    KernelCompileError
        Also where the same kernel did not compile before: it is not tried again.
    """
    if device == CPU:
        from ..devices.cpu.kernels import load as load_for_cpu

        return load_for_cpu(kernels, loaded)
    with _lock:
        missing = dict.fromkeys(each for each in kernels if (*each, device) not in loaded)
        target = target_of(availability.capability(device))
        to_compile = []
        for source, expression in missing:
            if reason := _refused.get((source, expression, target)):
                raise KernelCompileError(reason)
            key = cubins.key(kernel_source(source), expression, target)
            function = _found(key, expression, target)
            if function is None:
                to_compile.append((source, expression, target, key))
            else:
                loaded[source, expression, device] = function
        if to_compile:
            for source, expression, function in _compiled(to_compile):
                loaded[source, expression, device] = function


def forget():
    """As if no kernel had been asked for yet."""
    global forgotten
    with _lock:
        forgotten += 1
        loaded.clear()
        _refused.clear()


def _found(key, expression, target):
    """A kernel that is kept in a form that this device takes, or None."""
    for find in (cubins.ahead, _from_cache):
        image = find(key, expression, target)
        if image is not None:
            try:
                return _function(image, expression)
            except cp.cuda.driver.CUDADriverError:  # made for another driver, or damaged
                if find is _from_cache:
                    cubins.drop(key)
    return None


def _from_cache(key, expression, target):
    return cubins.load(key, expression)


def _compiled(kernels):
    from concurrent.futures import ThreadPoolExecutor  # not where nothing is to be compiled

    with _reported(kernels), ThreadPoolExecutor(min(len(kernels), 8)) as pool:
        images = [pool.submit(_compile, *each) for each in kernels]
    for (source, expression, _, key), image in zip(kernels, images, strict=True):
        image = image.result()
        function = _function(image, expression)
        cubins.store(key, image)
        yield source, expression, function


def _compile(source, expression, target, key):
    try:
        return compile_image(kernel_source(source), source, (expression,), target)
    except KernelCompileError as error:
        _refused[source, expression, target] = str(error)
        raise


def _function(image, expression):
    module = cp.cuda.function.Module()
    module.load(image.code)
    return module.get_function(image.names[expression])


@contextlib.contextmanager
def _reported(kernels):
    """Report on standard error that the compiler takes long.

    Once in the process, where short compilations add up; at a terminal each that is long.
    """
    global _waited
    if sys.stderr is None or (reported and not sys.stderr.isatty()):
        yield
        return
    delay = LONG if reported else max(LONG - _waited, 0)
    timer = threading.Timer(delay, _report, (len(kernels), getattr(asking, "name", None)))
    began = time.perf_counter()
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _waited += time.perf_counter() - began


def _report(count, name):
    global reported
    kept = "" if reported else "; compiled kernels are kept for later runs"
    reported = True
    kernels = "a kernel" if count == 1 else f"{count} kernels"
    of = f" for {spoken(name).rpartition('.')[2]}" if name else ""
    print(f"skimage-gpu-backend: compiling {kernels}{of} ...{kept}", file=sys.stderr, flush=True)
