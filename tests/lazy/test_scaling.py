"""What grows with the number of chunks: faces between workers, and nothing else."""

from itertools import product
from math import prod

import numpy as np
import pytest

import cuda_simulator

pytest.importorskip("dask.array")
from benchmarks import scaling

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("however_small")]
SIDE = 20
HALO = 4  # of `gaussian` with a sigma of 1
GRIDS = [(1, 1), (2, 3), (8, 8), (1, 1, 1), (2, 2, 2), (4, 4, 4)]


def beside(grid, halo):
    """Elements that chunks take from their neighbours, edges and corners of them too."""
    found = 0
    for place in product(*map(range, grid)):
        reached = [(at > 0) + (at < n - 1) for at, n in zip(place, grid, strict=True)]
        found += prod(SIDE + halo * sides for sides in reached) - SIDE ** len(grid)
    return found


@pytest.mark.parametrize("grid", GRIDS)
def test_a_halo_moves_faces_and_its_tasks_are_few(grid):
    counts = scaling.counted("gaussian", scaling.image_of(SIDE, grid))
    assert counts.moved == beside(grid, HALO) * np.float32().nbytes
    # a chunk is made, gives a piece of itself to each neighbour, and is one call with what it gets
    assert counts.tasks <= prod(grid) * (3 ** len(grid) + 2)
    assert counts.launches == prod(grid) * (len(grid) - 1) * cuda_simulator.active()


@pytest.mark.parametrize("grid", GRIDS)
def test_a_threshold_moves_histograms(grid):
    counts = scaling.counted("threshold_otsu", scaling.image_of(SIDE, grid))
    histogram = 256 * (8 + 4)  # counts and centers
    assert counts.moved <= prod(grid) * 3 * histogram
    assert counts.tasks <= 8 * prod(grid)
    assert counts.launches == 2 * prod(grid) * cuda_simulator.active()


@pytest.mark.parametrize("grid", GRIDS)
def test_labels_move_faces_and_tables_of_few_regions(grid):
    counts = scaling.counted("label", scaling.image_of(SIDE, grid))
    faces = 2 * len(grid) * SIDE ** (len(grid) - 1) * 8
    assert counts.moved <= prod(grid) * (faces + 2000)
    assert counts.tasks <= 6 * prod(grid)
    assert counts.launches <= 4 * prod(grid)


@pytest.mark.parametrize("grid", GRIDS[:5])
def test_reconstructions_move_faces(grid):
    """Of a pixel of a face its height, level and edge, 20 bytes, and 4 back, to boxes of boxes."""
    counts = scaling.counted("reconstruction", scaling.image_of(SIDE, grid))
    pixels = 2 * scaling.faces(grid) * SIDE ** (len(grid) - 1)
    assert counts.moved <= 2 * 24 * pixels + 1500 * prod(grid)
    assert counts.tasks <= 6.2 * prod(grid)
    assert counts.launches <= 24 * prod(grid)


def test_the_command_tells_a_line_for_each_graph(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["scaling", "gaussian"])
    monkeypatch.setattr(scaling, "GRIDS", ((SIDE, ((1, 1), (2, 2))),))
    scaling.main()
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[3].strip() for line in lines] == ["1", "4"]
    assert {line.count("|") for line in lines} == {head.count("|")}
