"""The example of stain normalization beside StainX: `python -m benchmarks.stainx`.

Needs StainX 0.1 and PyTorch. StainX installs from its source, which asks for PyTorch before:
``pip install torch`` and then ``pip install --no-build-isolation stainx==0.1.0``. Without a GPU its
backend ``torch`` runs on the CPU and ours is scikit-image itself: what compares is values. On a GPU
both take PyTorch's tensors there, ours by this package. That needs PyTorch with CUDA, CuPy, and for
StainX's own kernels (``torch_cuda``) ``nvcc`` when it is installed.
"""

import contextlib
import io
import runpy
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import numpy as np

from skimage_gpu_backend import enable

EXAMPLE = Path(__file__).parent.parent / "examples" / "stain_normalization.py"
LIGHT = 240  # that of StainX's Macenko, with 1 added to each level


def rows(side):
    """What each method gives, both ways: its name and backend, differences, seconds of both.

    Parameters
    ----------
    side : int
        Of a tile. StainX takes moments and histograms of a whole batch together, so it is given
        one tile after another.

    Yields
    ------
    tuple
        Name, StainX's backend, mean and largest difference in levels, share of values that differ
        by a level or more, seconds of StainX and ours.
    """
    import stainx
    import torch

    on_gpu = torch.cuda.is_available()
    device, kind = ("cuda", "torch") if on_gpu else ("cpu", "numpy")
    if on_gpu:
        enable()
    left = _example(side, kind)
    make = left["makers"][kind]
    tiles, reference = left["batch"] / 255, left["target"] / 255
    lit = [(255 * image + 1) / LIGHT for image in (tiles, reference)]
    takes = {
        "Reinhard": (stainx.Reinhard, (tiles, reference), 255),
        "Macenko": (stainx.Macenko, (tiles, reference), 255),
        "Macenko, light of 240": (stainx.Macenko, lit, LIGHT),
        "histograms": (stainx.HistogramMatching, (left["batch"], left["target"]), 1),
    }
    for name, (cls, (own, wanted), scale) in takes.items():
        method = left["METHODS"][name.partition(",")[0]]
        given = make(own), make(wanted)
        ours, our_seconds = _timed(lambda m=method, g=given: left["on_host"](m(*g)))
        floats = own if cls is stainx.HistogramMatching else tiles
        planes = _planes(torch, floats, device)
        (first,) = _planes(torch, wanted[None] if floats is own else reference[None], device)
        normalizer = cls(device=device).fit(first[None])
        theirs, their_seconds = _timed(
            lambda n=normalizer, p=planes: torch.cat([n.transform(i[None]) for i in p]).cpu()
        )
        theirs = np.moveaxis(theirs.numpy(), 1, -1)
        theirs = theirs * (255 if cls is stainx.Reinhard else 1)
        apart = np.abs(theirs - ours * float(scale))
        by, times = normalizer.backend, (their_seconds, our_seconds)
        yield name, by, apart.mean(), apart.max(), (apart >= 1).mean(), *times
        if scale == LIGHT:
            apart = apart[(own <= 1).all(axis=-1)]
            told = f"{name}, darker ones"
            yield told, by, apart.mean(), apart.max(), (apart >= 1).mean(), *times


def _example(side, kind):
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(sys, "argv", [str(EXAMPLE), f"{folder}/tiles.png", str(side), kind]),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        return runpy.run_path(str(EXAMPLE))


def _planes(torch, images, device):
    return torch.from_numpy(np.ascontiguousarray(np.moveaxis(images, -1, 1))).to(device)


def _timed(call):
    begin = time.perf_counter()
    return call(), time.perf_counter() - begin


def main():
    """Print a line for each method."""
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    print(f"{'levels of 255':36}{'StainX by':>12}{'mean':>8}{'largest':>9}{'a level':>9}", end="")
    print(f"{'StainX s':>10}{'ours s':>8}")
    for name, by, mean, largest, many, theirs, ours in rows(side):
        print(f"{name:36}{by:>12}{mean:8.3f}{largest:9.2f}{many:9.2%}{theirs:10.2f}{ours:8.2f}")


if __name__ == "__main__":
    sys.exit(main())
