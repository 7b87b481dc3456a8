"""Times of launches are those of what is slowest; cards are known by name."""

from dataclasses import replace

import pytest

from benchmarks.predict import cards, measured, page
from benchmarks.predict.launches import Watched, Work
from benchmarks.predict.model import Cache, predicted

H100, GEFORCE = cards.CARDS["h100"], cards.CARDS["rtx4090"]
LAUNCH = cards.LAUNCH
MIB = 1 << 20


def _work(blocks=132 * 16, instructions=(), **what):
    what.setdefault("moved", [])
    return Work("k", (blocks, 1, 1), (256, 1, 1), 32, 0, dict(instructions), **what)


def _of(card, *works, copies=0):
    return predicted(Watched(list(works), copies), card)


def test_a_large_copy_takes_what_the_memory_takes():
    told = _of(H100, _work(moved=[("a", 1 << 30, 0), ("b", 0, 1 << 30)]))
    assert told.bound == "DRAM"
    assert told.seconds == pytest.approx(LAUNCH + (2 << 30) / (cards.OF_NOMINAL * 3.35e12))


def test_many_small_launches_take_what_launches_take():
    told = _of(H100, *[_work(moved=[("a", 1000, 1000)])] * 7, copies=2)
    assert told.bound == "launch"
    assert told.seconds == pytest.approx(7 * LAUNCH + 2 * cards.COPY, rel=1e-3)


def test_double_precision_takes_64_times_as_long_as_single_on_a_geforce():
    count = 128 * 10**6  # of warps, on all multiprocessors
    times = [
        _of(GEFORCE, _work(128, {kind: count})).times[0].bounds[kind]
        for kind in ("single", "double")
    ]
    assert times[1] == pytest.approx(64 * times[0])
    assert times[0] == pytest.approx(count / 128 * 32 / 128 / GEFORCE.clock)


def test_a_part_of_four_instructions_a_clock_is_issued_by_as_many_warps_as_are_there():
    instructions = {"single": 10**8, "control": 10**8}
    for blocks, share in ((132, 1.5 * 8 / 64), (3 * 132, 1.5 * 24 / 64), (16 * 132, 0.72)):
        told = _of(H100, _work(blocks, instructions))
        assert told.bound == "issue"
        assert told.seconds == pytest.approx(LAUNCH + 2e8 / 132 / 4 / H100.clock / share)
    # registers leave room for two blocks
    few = _of(H100, replace(_work(16 * 132, instructions), registers=100))
    assert few.seconds == pytest.approx(LAUNCH + 2e8 / 132 / 4 / H100.clock / (1.5 * 16 / 64))


def test_a_block_too_many_costs_a_round():
    even, odd = (
        _of(H100, _work(n, {"integer": n * 10**5})).seconds for n in (132 * 16, 132 * 16 + 1)
    )
    assert odd - LAUNCH == pytest.approx((even - LAUNCH) * 17 / 16)


def test_atomics_on_one_address_follow_each_other():
    told = _of(H100, _work(at_one_address=10**6))
    assert (told.bound, told.seconds) == ("atomics", pytest.approx(LAUNCH + 1e6 / H100.clock))


def test_what_was_written_is_read_from_the_second_cache_while_it_fits():
    cache = Cache(10 * MIB)
    assert cache.moved([("a", 4 * MIB, 0), ("b", 0, 4 * MIB)]) == 8 * MIB
    assert cache.moved([("b", 4 * MIB, 0), ("c", 0, 4 * MIB)]) == 4 * MIB
    # the oldest makes room: 2 MiB of `a` are left
    assert cache.moved([("a", 4 * MIB, 0)]) == 2 * MIB


def test_what_no_launch_has_moved_is_in_no_cache():
    cache = Cache(10 * MIB)
    assert cache.moved([(None, 4 * MIB, MIB)]) == 5 * MIB
    # which array that was is not known: what is read may be it, and what was written
    assert cache.moved([(None, 4 * MIB, 0)]) == 0
    assert cache.moved([("a", 2 * MIB, 0), (None, 8 * MIB, 0)]) == 3 * MIB
    assert cache.moved([(None, 11 * MIB, 0)]) == 11 * MIB


def test_a_launch_whose_code_was_not_followed_has_bytes_and_says_so():
    told = _of(H100, Work("k", (), (), moved=[(None, 100 * MIB, 0)], followed="no source"))
    assert (told.bound, told.unknown) == ("DRAM", 1)


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("NVIDIA A100-SXM4-40GB", "a100"),
        ("NVIDIA L4", "l4"),
        ("Tesla T4", "t4"),
        ("Quadro P400", None),
        ("NVIDIA L40S", None),
    ],
)
def test_cards_are_known_by_cudas_name(name, card):
    assert cards.there(name) == cards.CARDS.get(card)


def test_each_number_of_a_card_has_a_source():
    assert all(card.source and card.capability in cards.RATES for card in cards.CARDS.values())
    assert set(cards.SHOWN) <= set(cards.CARDS)


def _row(ours, theirs, bound="DRAM", launches=3):
    way = {
        "bound": bound,
        "launches": launches,
        "not followed": [],
        "of CuPy": 0,
        "copies": 0,
        "dram": 4,
    }
    gpu, cucim = {**way, "us": ours}, {**way, "us": theirs, "of CuPy": 1}
    call = {"function": "skimage.filters:sobel", "images": "float32", "side": 64}
    return {**call, "gpu": gpu, "cucim": cucim}


def test_the_page_tells_means_losses_and_what_is_not_known():
    rows = [_row(10, 40), _row(10, 10, "launch", 1), _row(2000, 1000)]
    text = page.markdown({"h100": rows})
    assert "1.26 times as long (geometric mean of 3 calls of 1 functions)" in text
    assert "filters.sobel of float32 (0.50)" in text
    assert "| filters.sobel | float32 | 10 µs | DRAM |  | 3 | ≥ 40 µs | DRAM | 3 | 4.00 |" in text
    # one launch: the share of its time that DRAM alone would take
    assert "| filters.sobel | float32 | 10 µs | launch | 80% | 1 | ≥ 10 µs |" in text
    assert "measured" not in text.replace("not measured", "")


_SLOWER = "Predicted to take longer than cuCIM's:"


def test_the_page_tells_why_cucim_is_predicted_to_be_faster():
    copying = {**_row(40, 30), "images": "uint8"}
    copying["gpu"]["copies"] = 1
    rows = [_row(20, 10), copying, {**_row(30, 10, "double"), "images": "uint16"}]
    told = page.markdown({"h100": rows}).splitlines()
    other, copied, in_double = told[told.index("| --- | --- |", told.index(_SLOWER)) + 1 :][:3]
    assert "copied" in copied and copied.endswith("| filters.sobel of uint8 (0.75) |")
    assert "double" in in_double and in_double.endswith("| filters.sobel of uint16 (0.33) |")
    assert other == "|  | filters.sobel of float32 (0.50) |"


def test_a_terminal_gets_both_tables(capsys):
    from rich.console import Console

    row = _row(10, 40)
    row["gpu"]["kernels"] = [["edges<float>", 2, 9.5, "DRAM", 0.5]]
    row["cucim"]["kernels"] = [["", 3, 40, "launch", None]]
    console = Console(width=160)
    console.print(page.table([row], H100))
    console.print(page.of_kernels([row]))
    told = capsys.readouterr().out
    assert "nothing was measured" in told and "4.00" in told
    assert "edges<float>" in told and "50%" in told and "cuCIM: CuPy's own" in told


def test_what_was_measured_stands_beside_what_was_predicted():
    predictions = [_row(10, 40), {**_row(100, 90), "images": "uint8"}]
    times = [
        {
            "function": "skimage.filters:sobel",
            "images": images,
            "side": side,
            "gpu": {"us": us},
            "cucim": {"refused": "no"},
        }
        for images, side, us in (("float32", 64, 20), ("uint8", 64, 110), ("uint8", 9, 1000))
    ]
    times.append({**times[0], "gpu": {"us": 500, "waits": True}})
    found = list(measured.pairs(predictions, times))
    assert [each[2:] for each in found] == [(64, "gpu", 10, 20), (64, "gpu", 100, 110)]
    text = measured.markdown(found, "card", (3e12, 2.9e12))
    assert "Wrong by more than 1.5 times: 1 of 2" in text
    wrong, others = text.split("## The others")
    assert "| filters.sobel | float32 | 64 | this package | 10 µs | 20 µs | 2.00 |" in wrong
    assert "| 1.10 |" in others and "predicted 3000 GB/s, measured 2900" in text
