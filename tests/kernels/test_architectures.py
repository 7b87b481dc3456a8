"""Occupancy, as CUDA's calculator has it."""

import pytest

from benchmarks.architectures import occupancy

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
