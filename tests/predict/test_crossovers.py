"""What predicted times would change of crossover sizes."""

import pytest

from benchmarks.predict import crossovers
from skimage_gpu_backend.sizes import model

NAME = "skimage.filters:gaussian"
SIDE = 1000


def row(seconds_of_a_pixel, copies=0):
    us = 1e6 * (seconds_of_a_pixel * SIDE**2 + copies * model.TYPICAL["copy"])
    way = {"us": us, "copies": copies}
    return {"function": NAME, "images": "uint8", "side": SIDE, "gpu": way}


def modelled():
    moved = model.shipped()[NAME]["integer"][0][-1]
    return moved / model.TYPICAL["memory"]


@pytest.mark.parametrize("copies", [0, 2])
def test_the_models_own_times_change_nothing(copies):
    ((name, images, before, after),) = crossovers.changes([row(modelled(), copies)])
    assert (name, images) == ("filters.gaussian", "uint8")
    assert 0 < before == pytest.approx(after)


def test_slower_kernels_pay_off_later():
    slow, slower = (
        after for *_, after in crossovers.changes([row(2 * modelled()), row(1000 * modelled())])
    )
    assert modelled() and slow < slower


def test_calls_without_a_prediction_or_a_row_in_the_model_are_left_out():
    refused = {**row(1), "gpu": {"refused": "HostOnly: runs on the host"}}
    assert not [*crossovers.changes([refused, {**row(1), "function": "skimage.util:none"}])]


def test_the_command_tells_of_each_card_that_has_rows(capsys):
    assert crossovers.main() == 0
    assert "H100 SXM" in capsys.readouterr().out
