"""Calls that are predicted to take longer than cuCIM's have a reason."""

import pytest

from benchmarks.predict import cards, rows, slower
from skimage_gpu_backend.catalog import spoken


@pytest.mark.parametrize("card", cards.CARDS)
def test_a_reason_is_told_of_each_call_that_takes_longer(card):
    assert not slower.calls_of(rows.rows_of(card)).get("")


def test_hardly_a_call_would_be_sooner_by_the_backend_that_runs_cucim():
    kept, sooner = slower.by_cucim(), set()
    for card in ("h100", "rtx4090"):
        for row in rows.rows_of(card):
            us = kept.get(slower.key_of(card, row))
            if us and us < slower.ALIKE * row["gpu"]["us"] and not row["cucim"]["of CuPy"]:
                assert us > 0.85 * row["gpu"]["us"]
                sooner.add(spoken(row["function"]))
    smoothed = "filters.gaussian", "filters.difference_of_gaussians", "filters.frangi"
    assert kept and sooner <= {*smoothed}


def test_what_copies_and_what_is_in_double_is_told_apart():
    def row(function, copies, us, bound):
        ours = {"us": us, "copies": copies, "bound": bound}
        theirs = {"us": 10.0, "copies": 0}
        row = {"function": function, "images": "uint8", "gpu": ours, "cucim": theirs}
        return slower.why(row)

    mean, gaussian = "skimage.filters:threshold_mean", "skimage.filters:gaussian"
    assert row(mean, 0, 9.0, "DRAM") is None
    assert "copied" in row(mean, 1, 24.0, "copy")
    assert row(mean, 1, 29.0, "copy") == ""
    assert "double" in row(gaussian, 0, 29.0, "double")
    assert row(gaussian, 0, 29.0, "issue") == ""
