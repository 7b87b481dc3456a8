"""Launches that are kept are those that were seen; the tables are what the model makes of them."""

import json

import pytest

from benchmarks.predict import calls, cards, model, rows
from benchmarks.predict.launches import Watched, Work

H100 = cards.CARDS["h100"]


def _seen():
    first, second = object(), 4096
    works = [
        Work(
            *("smooth", (132, 2, 1), (256, 1, 1), 40, 2048, {"double": 1.5e9, "control": 1e6}),
            moved=[(first, 3e7, 0), (second, 0, 3e7)],
        ),
        Work("", (), (), moved=[(None, 1e6, 5e5)], followed="no source"),
        Work("smooth", (132, 2, 1), (256, 1, 1), 40, 2048, {"double": 1.5e9, "control": 1e6}),
    ]
    works[2].moved = [(second, 3e7, 0), (first, 0, 3e7)]
    return Watched(works, copies=1)


@pytest.mark.parametrize("name", ["h100", "rtx4090"])
def test_of_launches_that_are_kept_the_same_is_predicted(name):
    seen, card = _seen(), cards.CARDS[name]
    kept = rows.unpacked(json.loads(json.dumps(rows.packed(seen))))
    assert model.predicted(kept, card) == model.predicted(seen, card)
    # what the first launch wrote is in the cache, and only what the last one writes moves
    written = 3e7 / (cards.OF_NOMINAL * card.bandwidth)
    assert model.predicted(kept, card).times[2].bounds["DRAM"] == pytest.approx(written, rel=0.2)


def _call(function="f", side=512, **ways):
    return {"function": function, "images": "uint8", "side": side} | ways


def test_of_a_call_that_is_added_again_the_latest_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "RESULTS", tmp_path)
    refused, launches = {"refused": "ValueError: no"}, rows.packed(_seen())
    assert rows.calls_of("9.0-132") == []
    for function, gpu in (("g", refused), ("f", refused), ("f", launches)):
        rows.add("9.0-132", _call(function, gpu=gpu, cucim=refused))
    wanted = [
        _call("f", gpu=launches, cucim=refused),
        _call("g", gpu=refused, cucim=refused),
    ]
    assert rows.calls_of("9.0-132") == wanted
    rows.tidy("9.0-132")
    assert rows.calls_of("9.0-132") == wanted
    row, none = rows.rows_of("h100")
    us = 1e6 * model.predicted(_seen(), H100).seconds
    assert (row["gpu"]["us"], row["gpu"]["launches"]) == (pytest.approx(us, abs=0.01), 3)
    assert row["cucim"] == none["gpu"] == refused
    assert rows.rows_of("rtx4090") == []


def test_a_call_that_launches_nothing_ran_on_the_host():
    row = rows.row_of(_call(gpu=rows.packed(Watched()), cucim=rows.packed(_seen())), H100)
    assert row["gpu"]["refused"].startswith("HostOnly")
    assert row["cucim"]["copies"] == 1


@pytest.mark.thorough
@pytest.mark.parametrize("file", sorted(rows.RESULTS.glob("*.json")), ids=lambda file: file.stem)
def test_tables_are_what_the_model_says_now(file):
    """`python -m benchmarks.predict.page` makes them anew."""
    assert json.loads(file.read_text()) == rows.rows_of(file.stem)


def test_what_takes_too_long_is_not_tried_for_another_card(monkeypatch):
    asked = []

    def seen(call, way, shown, limit):
        asked.append((way, [card.title for card in shown]))
        told = "_TooLong: more than 1 s here" if way == "gpu" else "ValueError: no"
        return [{"refused": told} for _ in shown]

    monkeypatch.setattr(calls, "_seen", seen)
    monkeypatch.setattr(calls, "Call", lambda name, arguments: name)
    shown = [cards.CARDS["h100"], cards.CARDS["rtx4090"]]
    made = next(calls.launched(["filters:sobel"], shown, 64, 1, known=set()))
    both = [card.title for card in shown]
    assert asked == [("gpu", both[:1]), ("cucim", both)]
    assert sorted(made) == ["8.9-128", "9.0-132"]
    assert all(call["gpu"]["refused"].startswith("_TooLong") for call in made.values())
