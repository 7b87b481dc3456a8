"""How long the first call of a function waits for its kernels: `python -m benchmarks.first_call`.

Kernels of usual calls of 2048 x 2048 images in float32: compiled for one architecture, read from
the cache, read from an archive that was made ahead of time. No GPU is needed: loading them onto
one, which each way does, is not in these times.
"""

import argparse
import importlib
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from skimage_gpu_backend import _compile, functions
from skimage_gpu_backend.device import cubins
from skimage_gpu_backend.device.compile import compile_image, target_of, version
from skimage_gpu_backend.device.launches import Array
from skimage_gpu_backend.device.source import kernel_source

SHAPE = (2048, 2048)
CALLS = {
    "skimage.color:rgb2lab": ((*SHAPE, 3),),
    "skimage.feature:canny": (SHAPE, 2),
    "skimage.feature:daisy": (SHAPE,),
    "skimage.feature:hog": (SHAPE,),
    "skimage.filters:gaussian": (SHAPE, 3),
    "skimage.filters:sobel": (SHAPE,),
    "skimage.filters:unsharp_mask": (SHAPE, 2),
    "skimage.transform:pyramid_reduce": (SHAPE,),
}


def kernels(name, arguments):
    """Source and expression of the kernels of a call; the first argument is an image's shape."""
    image = Array(arguments[0], np.dtype(np.float32))
    return list(dict.fromkeys(functions.plan(name, (image, *arguments[1:]), {}).run.kernels))


def seconds(task):
    """How long a task takes, once."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def measured(wanted, target, folder):
    """Seconds to compile side by side, to read from a cache, to read from an archive."""
    keys = {each: cubins.key(kernel_source(each[0]), each[1], target) for each in wanted}
    images = {}

    def compile_one(each):
        source, expression = each
        images[each] = compile_image(kernel_source(source), source, (expression,), target)

    def compile_all():
        with ThreadPoolExecutor(len(wanted)) as pool:
            list(pool.map(compile_one, wanted))

    compiling = seconds(compile_all)
    kept = cubins.Kept(folder / "cache", cubins.LIMIT)
    for each, image in images.items():
        kept.store(keys[each], image.code)
    _compile.update(folder / f"{target}.zip", wanted, target, 1)

    def read_archive():
        archive = cubins.Archive(folder / f"{target}.zip")
        for key in keys.values():
            archive.read(archive.get(key)[0])

    caching = seconds(lambda: [kept.load(key) for key in keys.values()])
    return compiling, caching, seconds(read_archive)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_call")
    parser.add_argument("--arch", default="8.6", help="compute capability; default: 8.6")
    target = target_of(parser.parse_args().arch.replace(".", ""))
    compile_image("__global__ void nothing() {}", "nothing.cu", ("nothing",), target)
    importlib.import_module("lzma")
    print(f"NVRTC {version()}, {target}\n")
    print("| function | kernels | compiled | from the cache | from an archive |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, arguments in CALLS.items():
        wanted = kernels(name, arguments)
        with tempfile.TemporaryDirectory() as folder:
            compiling, caching, ahead = measured(wanted, target, Path(folder))
        label = name.partition(".")[2].replace(":", ".")
        print(
            f"| `{label}` | {len(wanted)} | {compiling:.2f} s | {1e3 * caching:.1f} ms |"
            f" {1e3 * ahead:.1f} ms |",
            flush=True,
        )


if __name__ == "__main__":
    main()
