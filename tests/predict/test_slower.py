"""Calls that are predicted to take longer than cuCIM's have a reason."""

import pytest

from benchmarks.predict import cards, rows, slower


@pytest.mark.parametrize("card", cards.CARDS)
def test_a_reason_is_told_of_each_call_that_takes_longer(card):
    assert not slower.by_reason(rows.rows_of(card)).get("")


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
