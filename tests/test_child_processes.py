"""Child processes: spawned ones inherit the selection, forked ones stay on the CPU."""

import pytest

PROGRAM = """
import multiprocessing, sys, warnings
import numpy as np
from skimage.filters import sobel

def call(image):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        edges = sobel(image)
    return edges, [str(w.message) for w in told]

if __name__ == "__main__":
    method, first = sys.argv[1:]
    image = np.random.default_rng(0).random((64, 64))
    if first == "used":
        mine, told = call(image)
        print("parent", told[0] if told else "")
    with multiprocessing.get_context(method).Pool(1) as pool:
        theirs, told = pool.map(call, [image])[0]
    print("child", told[0] if told else "")
    if first == "used":
        print(np.array_equal(mine, theirs))
"""
DEVICE = {
    "SKIMAGE_BACKENDS": "gpu",
    "SKIMAGE_BACKENDS_MIN_SIZE": "0",
    "SKIMAGE_GPU_SIMULATOR": "1",
    "SKIMAGE_BACKENDS_NOTIFY": "all",
}


@pytest.mark.parametrize(
    ("method", "first", "child"),
    [
        ("spawn", "used", "was dispatched to the 'gpu' backend"),
        ("fork", "not used", "was dispatched to the 'gpu' backend"),
        ("fork", "used", "not dispatched: gpu: this process was forked after the GPU"),
        ("forkserver", "used", "was dispatched to the 'gpu' backend"),
    ],
)
def test_children(python, method, first, child):
    lines = python(python.script(PROGRAM), method, first, **DEVICE).stdout.splitlines()
    told = dict(line.split(" ", 1) for line in lines if " " in line)
    assert child in told["child"]
    if first == "used":
        assert "was dispatched to the 'gpu' backend" in told["parent"]
        assert lines[-1] == "True"
