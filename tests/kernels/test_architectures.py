"""Occupancy, as CUDA's calculator has it, and the table of what kernels ask for."""

import pytest

from benchmarks import resources
from benchmarks.architectures import occupancy
from tests.kernels import cubin

FULL = 48 << 10


@pytest.mark.parametrize(
    ("capability", "registers", "threads", "shared", "expected"),
    [
        ("7.5", 32, 256, 0, 1),
        ("9.0", 32, 256, 0, 1),
        ("9.0", 33, 256, 0, 6 / 8),  # a warp's registers are multiples of 256
        ("9.0", 96, 256, 0, 2 / 8),
        ("8.6", 255, 256, 0, 8 / 48),
        ("7.5", 32, 256, FULL, 8 / 32),
        ("8.6", 32, 256, FULL, 2 * 8 / 48),
        ("9.0", 32, 256, FULL, 4 * 8 / 64),
        ("8.0", 16, 32, 0, 32 / 64),  # 32 blocks
        ("8.6", 16, 32, 0, 16 / 48),
    ],
)
def test_occupancy(capability, registers, threads, shared, expected):
    assert occupancy(capability, registers, threads, shared) == expected


def test_table_of_what_kernels_ask_for():
    row = {"source": "a/b.cu", "kernel": "k", "threads": 256, "dynamic": 1000, "worst": "k<int>"}
    row["on"] = {capability: [96, 0, 24] for capability in resources.SHOWN}
    row["specializations"] = {"k<int>": [96, 0, 24, 200, 50, 4, 2, 3, 190], "k<char>": [9] * 9}
    columns = [*cubin.Resources._fields, *cubin.Mix._fields, "fused"]
    shares = "50%, 33%, 33%, 25%, 33%"
    expected = f"| `a/b.cu` `k<int>` | 96 |  | 24 + 1000 | {shares} | 200 | -5% | 25% | 2% | 3 |"
    assert resources.table(columns, [row]).splitlines()[-1] == expected
