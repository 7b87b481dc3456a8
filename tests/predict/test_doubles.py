"""Calls with many operations in double, where they are slow, have a reason."""

import re

from benchmarks.predict import doubles, rows
from skimage_gpu_backend.catalog import spoken

AIMED_AT = (
    r"color\.\w+|filters\.\w+|transform\.(resize|rescale|warp|rotate|swirl|pyramid)\w*"
    r"|feature\.(structure_tensor|hessian|shape_index|corner_(?!subpix)|canny|local_binary|daisy|hog)\w*"
    r"|metrics\.structural_similarity"
)


def test_a_reason_is_told_of_each_call_with_more_than_it_should_have():
    of_card = [row for row in rows.rows_of("rtx4090") if row["side"] == 4096]
    told = {call[:2] for calls in doubles.above(of_card).values() for call in calls}
    many = {
        (spoken(row["function"]), row["images"])
        for row in of_card
        if row["gpu"].get("double", 0) > doubles.MOST
        and re.fullmatch(AIMED_AT, spoken(row["function"]))
        and re.match("u?int(8|16)|float32", row["images"])
    }
    assert len(many) > 50
    assert many <= told
