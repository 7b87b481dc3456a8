"""What others have published of kernels that the model can be asked about, beside its answer.

    python -m benchmarks.predict.published SSIM.CU

predicts CUB's radix sort, and the kernel of fused-ssim (github.com/rahul-goel/fused-ssim,
`ssim.cu`), whose times on a GeForce RTX 3070 others have published, from its source.
"""

import struct
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.sass.follow import Pointer, follow, read

from . import cards, images, model
from .launches import Watched, Work, sort_works, told

FULL_HD = (1080, 1920)
_SIDE = 16  # of a block of fused-ssim
# What its source has of cooperative groups.
_GROUPS = """\
namespace cg {
struct Block {
    __device__ uint3 group_index() const { return blockIdx; }
    __device__ uint3 thread_index() const { return threadIdx; }
    __device__ unsigned thread_rank() const { return threadIdx.x + blockDim.x * threadIdx.y; }
    __device__ void sync() const { __syncthreads(); }
};
__device__ inline Block this_thread_block() { return Block(); }
}
"""


class Published(NamedTuple):
    """A time in microseconds that was published, and the one that was predicted for it."""

    what: str
    card: str
    published: float
    predicted: float
    source: str


_FAST_CUDA_SSIM = (
    "documentation of FastCUDASSIM.jl, page of benchmarks (laurensdiels.github.io/FastCUDASSIM.jl):"
    " median of calls by way of PyTorch"
)
_ONESWEEP = (
    'A. Adinets, D. Merrill, "Onesweep", 2022 (arXiv 2206.01784), abstract: 29.4 GKey/s;'
    " of which A100 is not told"
)
# That of fused-ssim from the source of commit 0ac916a.
PUBLISHED = (
    Published("fused-ssim, 1920 x 1080, 1 channel", "rtx3070", 265, 281.2, _FAST_CUDA_SSIM),
    Published("fused-ssim, 1920 x 1080, 3 channels", "rtx3070", 870, 746.2, _FAST_CUDA_SSIM),
    Published("radix sort of 2²⁸ keys of 32 bits", "a100", 9130, 6810, _ONESWEEP),
)


def fused_ssim(source, card, channels) -> model.Prediction:
    """A call of fused-ssim with gradients: four arrays of zeros, the kernel, a mean.

    Parameters
    ----------
    source : str
        Its `ssim.cu`.
    card : cards.Card
    channels : int
    """
    end = source.rindex("// ----", 0, source.index("// Backward Kernel"))
    text = _GROUPS + source[source.index("__constant__ float cGauss") : end]
    code, name = images.foreign(text, "fusedssimCUDA", card.capability)
    rows, columns = FULL_HD
    size = channels * rows * columns
    random = np.random.default_rng(0).random
    memory = {name: random(size).astype("f4").view("u1") for name in ("first", "second")}
    made = ("map", "by_mean", "by_variance", "by_product")
    memory |= {name: np.zeros(4 * size, "u1") for name in made}
    numbers = struct.pack("<iii", rows, columns, channels), struct.pack("<ff", 1e-4, 9e-4)
    arguments = [n[k : k + 4] for n in numbers for k in range(0, len(n), 4)]
    arguments += map(Pointer, memory)
    grid = (-(-columns // _SIDE), -(-rows // _SIDE), 1)
    seen = follow(code, name, card.capability, grid, (_SIDE, _SIDE, 1), arguments, memory)
    kernel = told(name, grid, (_SIDE, _SIDE, 1), seen, memory)
    has = read(code, card.capability)[1][name]
    kernel.registers, kernel.shared = has.registers, has.shared
    plain = {"grid": (), "block": (), "followed": "PyTorch's"}
    zeros = [Work("zeros", moved=[(each, 0, 4 * size)], **plain) for each in made]
    mean = Work("mean", moved=[("map", 4 * size, 0)], **plain)
    return model.predicted(Watched([*zeros, kernel, mean]), card)


def main() -> int:
    """Print what `PUBLISHED` has as predicted."""
    source = Path(sys.argv[1]).read_text()
    sort = Watched(sort_works(1 << 28, 4, 0, True))
    print(f"{1e6 * model.predicted(sort, cards.CARDS['a100']).seconds:.0f} us")
    for channels in (1, 3):
        told = fused_ssim(source, cards.CARDS["rtx3070"], channels)
        print(channels, f"{1e6 * told.seconds:.1f} us", told.bound)
    return 0


if __name__ == "__main__":
    sys.exit(main())
