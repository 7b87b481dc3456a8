"""A profile tells what ran where, what was copied, why a call fell back, and what would help."""

import _thread
import asyncio
import json
import threading
import time

import cupy as cp
import numpy as np
import pytest
from skimage import draw, filters, metrics, restoration, transform, util

import skimage_gpu_backend
from skimage_gpu_backend import availability, use_backends
from skimage_gpu_backend.profiling import advice, watch
from tests.upstream import need_cucim

pytestmark = pytest.mark.usefixtures("enabled", "everything_pays")


@pytest.fixture
def everything_pays(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    monkeypatch.setenv("SKIMAGE_BACKENDS_NOTIFY", "none")


@pytest.fixture
def image():
    return np.random.default_rng(0).random((64, 80))


def by_function(profile):
    return {row["function"]: row for row in profile.to_dict()["functions"]}


def test_calls_copies_and_places(image, counting):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"), counting() as counts:
        filters.sobel(filters.gaussian(image, 2))
        filters.gaussian(image, 2)
        draw.disk((5, 5), 3)
    rows = by_function(p)
    gaussian, sobel, disk = rows["filters.gaussian"], rows["filters.sobel"], rows["draw.disk"]
    assert (gaussian["calls"], sobel["calls"], disk["calls"]) == (2, 1, 1)
    assert (gaussian["ran by"], disk["ran by"]) == ("kernel", "scikit-image")
    assert gaussian["to_device_bytes"] == gaussian["to_host_bytes"] == 2 * image.nbytes
    totals = p.to_dict()["totals"]
    assert totals["bytes to device"] == counts.bytes_to_device
    assert totals["bytes to host"] == counts.bytes_to_host
    assert totals["transfers"] == counts.to_device + counts.to_host == 6
    assert (totals["calls"], totals["calls on the device"]) == (4, 3)
    assert 0 < totals["seconds in transfers"] < totals["seconds in scikit-image"]
    assert totals["seconds in scikit-image"] < totals["seconds"]
    assert 0 < totals["share on the device"] < 1
    json.dumps(p.to_dict())


def test_device_arrays_are_not_copied(image):
    on_device = cp.asarray(image)
    with skimage_gpu_backend.profile() as p:
        filters.sobel(on_device)
    (row,) = p.to_dict()["functions"]
    assert (row["ran by"], row["to_device"], row["to_host"]) == ("kernel", 0, 0)


def test_cucim_is_told_apart(image):
    need_cucim()
    with skimage_gpu_backend.profile() as p, use_backends("cucim"):
        filters.sobel(image)
    (row,) = p.to_dict()["functions"]
    assert row["ran by"] == "cucim"


@pytest.fixture
def however_little(monkeypatch):
    """Advice is given however little it saves: kernels may be compiled meanwhile."""
    monkeypatch.setattr(advice, "_LEAST", 0)


def test_each_fallback_has_its_reason_and_what_would_lift_it(image, monkeypatch, however_little):
    with skimage_gpu_backend.profile() as p:
        filters.sobel(image)
        with use_backends("gpu"):
            filters.sobel(image.astype("g"))
            draw.disk((5, 5), 3)
            monkeypatch.delenv("SKIMAGE_BACKENDS_MIN_SIZE")
            filters.sobel(image)
    told = {row["reason"]: row["remedy"] for row in p.to_dict()["fallbacks"]}
    assert told["no backend is selected"].startswith("SKIMAGE_BACKENDS=gpu")
    (small,) = (reason for reason in told if "pays off" in reason)
    assert "CPU is faster" in told[small]
    (dtype,) = (reason for reason in told if "has dtype" in reason)
    assert "give image.astype(float), which rounds" in told[dtype]
    assert told["no kernel for this function"].startswith("nothing yet")
    report = str(p)
    assert "no backend is selected" in report
    texts = [item["text"] for item in p.to_dict()["advice"]]
    assert texts
    assert not any("pays off" in text or "nothing yet" in text for text in texts)


def test_what_would_help_several_functions_is_told_once(image):
    with skimage_gpu_backend.profile() as p:
        for function in (filters.sobel, filters.scharr, filters.prewitt, filters.farid):
            function(image)
    (item,) = p.to_dict()["advice"]
    assert " and 1 more run on the device (no backend is selected)" in item["text"]
    assert item["seconds"] == pytest.approx(p.to_dict()["totals"]["seconds in scikit-image"])


def test_a_remedy_is_named_once_for_all_that_it_helps(image, however_little):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        for function in (filters.sobel, filters.scharr, filters.prewitt):
            function(filters.gaussian(image, 2))  # three chains, and one image that crosses thrice
        filters.gaussian(image, mode=["reflect", "wrap"])
        filters.sobel(np.ma.masked_array(image))
        filters.scharr(np.ma.masked_array(image))
    texts = [item["text"] for item in p.to_dict()["advice"]]
    assert len(texts) == 3
    remedies = ("SKIMAGE_GPU_RESIDENT", "cupy.asarray", "numpy.asarray")
    assert [sum(part in text for text in texts) for part in remedies] == [1, 1, 1]
    (kept,) = (text for text in texts if "SKIMAGE_GPU_RESIDENT" in text)
    for function in ("sobel", "scharr", "prewitt"):
        assert f"filters.gaussian and filters.{function}" in kept
    assert str(p).count("as above") == 1  # of two masked arrays


def test_what_saves_next_to_nothing_is_no_advice(image):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        filters.sobel(filters.gaussian(image, 2))
        filters.sobel(np.ma.masked_array(image))
        time.sleep(2)
    assert p.to_dict()["advice"] == []


def test_without_a_gpu_none_is_suggested(image, monkeypatch):
    monkeypatch.setattr(availability, "no_device_because", lambda: availability._NO_DRIVER)
    with skimage_gpu_backend.profile() as p:
        filters.sobel(image)
    (row,) = p.to_dict()["fallbacks"]
    assert row["remedy"] == "nothing: no NVIDIA driver on this machine"
    assert p.to_dict()["advice"] == []


def test_an_image_that_comes_back_to_the_device_is_the_advice(image, however_little):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        for _ in range(2):
            smooth = filters.gaussian(image, 2)
            filters.sobel(smooth[1:])
    texts = {item["text"] for item in p.to_dict()["advice"]}
    (chain,) = (text for text in texts if "between" in text)
    assert "between filters.gaussian and filters.sobel" in chain
    assert "saves 4 of 8 transfers" in chain
    (again,) = (text for text in texts if "once" in text)
    assert "copy the image of filters.gaussian to the device once" in again
    assert "saves 1 of 8 transfers" in again


def test_the_advice_of_a_chain_is_right(image):
    with skimage_gpu_backend.profile() as p, use_backends("gpu", output="resident"):
        filters.sobel(filters.gaussian(image, 2))
    totals = p.to_dict()["totals"]
    assert (totals["calls on the device"], totals["transfers"]) == (2, 1)
    assert p.to_dict()["advice"] == []


def test_a_new_array_in_an_old_place_is_no_chain(image):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        for _ in range(20):
            filters.sobel(image.copy())
    assert p.to_dict()["advice"] == []


def test_errors_are_counted_and_are_scikit_images(image):
    refused = pytest.raises(ValueError, match="Sigma")
    with skimage_gpu_backend.profile() as p, use_backends("gpu"), refused as ours:
        filters.gaussian(image, -1)
    with pytest.raises(ValueError, match="Sigma") as theirs:
        filters.gaussian(image, -1)
    assert str(ours.value) == str(theirs.value)
    (row,) = p.to_dict()["functions"]
    assert (row["calls"], row["errors"]) == (1, 1)
    assert [row["reason"] for row in p.to_dict()["fallbacks"]] == [
        "sigma=-1 is negative; give a number from 0 on"
    ]
    assert p.to_dict()["advice"] == []


def test_lines_are_the_users(image):
    with skimage_gpu_backend.profile() as p, use_backends("gpu"):
        filters.sobel(image)
        filters.laplace(image), filters.laplace(image)
    lines = [line for line in p.to_dict()["lines"] if line["file"] == __file__]
    first, second = lines
    assert second["line"] == first["line"] + 1
    assert (first["device"]["calls"], second["device"]["calls"]) == (1, 2)


def test_a_program_that_makes_code_all_the_time_needs_no_more_memory():
    names = {"x": np.zeros((1, 1)), "error": metrics.mean_squared_error}
    files = ("first", "second", "third")
    rounds = watch._MANY // 3 + 5
    with skimage_gpu_backend.profile() as p:
        for _ in range(rounds):
            for file in files:
                eval(compile("error(x, x)", file, "eval"), names)
    assert len(watch._places) <= watch._MANY
    found = {line["file"]: line["cpu"]["calls"] for line in p.to_dict()["lines"]}
    assert found == dict.fromkeys(files, rounds)


def test_all_threads_are_watched(image):
    def work():
        with use_backends("gpu"):
            for _ in range(50):
                filters.sobel(image)

    with skimage_gpu_backend.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    (row,) = p.to_dict()["functions"]
    assert row["calls"] == row["to_device"] == row["to_host"] == 200


def test_a_profile_within_a_profile_counts_for_both(image):
    with skimage_gpu_backend.profile(trace=True) as outer, use_backends("gpu"):
        util.invert(image)
        with skimage_gpu_backend.profile() as inner:
            util.invert(image)
    assert outer.to_dict()["totals"]["calls"] == 2
    assert inner.to_dict()["totals"]["calls"] == 1


def test_profiles_of_two_threads_end_in_any_order(image):
    second_began, first_ended = threading.Event(), threading.Event()
    taken = {}

    def second():
        with skimage_gpu_backend.profile() as taken["second"], use_backends("gpu"):
            filters.sobel(image)
            second_began.set()
            assert first_ended.wait(60)
            filters.sobel(image)

    thread = threading.Thread(target=second)
    with skimage_gpu_backend.profile() as taken["first"]:
        thread.start()
        assert second_began.wait(60)
    first_ended.set()
    thread.join()
    filters.sobel(image)
    totals = {which: p.to_dict()["totals"] for which, p in taken.items()}
    assert {which: sums["calls"] for which, sums in totals.items()} == {"first": 1, "second": 2}
    assert {which: sums["transfers"] for which, sums in totals.items()} == {"first": 2, "second": 4}


def test_tasks_that_take_turns_have_a_profile_each(image):
    async def work(times):
        with skimage_gpu_backend.profile() as p, use_backends("gpu"):
            for _ in range(times):
                util.invert(image)
                await asyncio.sleep(0)
            await asyncio.to_thread(filters.sobel, image)
        return p

    async def both():
        return await asyncio.gather(work(1), work(3))

    first, second = asyncio.run(both())
    util.invert(image)
    # each has what ran meanwhile, the other's calls too
    assert by_function(first)["util.invert"]["calls"] >= 2
    assert by_function(first)["filters.sobel"]["ran by"] == "kernel"
    assert by_function(second)["util.invert"]["calls"] == 3
    assert by_function(second)["filters.sobel"]["calls"] == 2


def test_a_call_that_no_line_of_python_makes_is_counted(image):
    with skimage_gpu_backend.profile() as p:
        _thread.start_new_thread(filters.sobel, (image,))
        until = time.monotonic() + 60
        while not p.to_dict()["functions"] and time.monotonic() < until:
            time.sleep(0.01)
    assert by_function(p)["filters.sobel"]["errors"] == 0


def test_copies_after_a_callback_are_the_outer_calls(image):
    def denoise(part):
        draw.disk((5, 5), 3)
        return part

    with skimage_gpu_backend.profile() as p:
        restoration.denoise_invariant(cp.asarray(image), denoise)
    row = by_function(p)["restoration.denoise_invariant"]
    assert (row["to_host"], row["to_device"]) == (1, 1)
    assert by_function(p)["draw.disk"]["calls"] > 1


@pytest.mark.parametrize("backend", ["gpu", None])
def test_results_that_come_one_after_the_other_are_of_one_call(backend):
    image = np.random.default_rng(0).random((400, 400))
    pyramid = transform.pyramid_gaussian
    list(pyramid(image))  # imports
    shares = []
    for _ in range(5):  # others may keep the processor busy between two layers
        with skimage_gpu_backend.profile() as p, use_backends(*filter(None, [backend])):
            begin = time.perf_counter()
            layers = list(pyramid(image, max_layer=3))
            seconds = time.perf_counter() - begin
        assert len(layers) == 4
        (row,) = p.to_dict()["functions"]
        assert (row["ran by"], row["calls"]) == ("kernel" if backend else "scikit-image", 1)
        assert (row["to_device"], row["to_host"]) == ((3, 3) if backend else (0, 0))
        shares.append(row["seconds"] / seconds)
    assert 0.5 < max(shares) < 1


def test_the_time_of_a_block_is_known_within_it(image):
    with skimage_gpu_backend.profile() as p:
        util.invert(image)
        now = p.to_dict()["totals"]["seconds"]
    assert 0 < now < p.to_dict()["totals"]["seconds"] == p.to_dict()["totals"]["seconds"]


def test_nothing_is_watched_afterwards(image):
    with skimage_gpu_backend.profile() as p:
        pass
    with use_backends("gpu"):
        util.invert(image)
    assert p.to_dict()["totals"]["calls"] == 0
    assert "No function of scikit-image was called" in str(p)


def test_the_timeline_has_calls_copies_and_kernels_within_each_other(image, tmp_path):
    with skimage_gpu_backend.profile(trace=True) as p, use_backends("gpu"):
        filters.sobel(image)
        draw.disk((5, 5), 3)
    p.trace.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    spans = {event["name"]: event for event in events if event["ph"] == "X"}
    call = spans["filters.sobel"]
    assert call["args"]["ran by"] == "kernel"
    assert spans["draw.disk"]["args"]["reason"] == "no kernel for this function"
    there, back = spans["copy to device"], spans["copy to host"]
    assert there["args"]["bytes"] == back["args"]["bytes"] == image.nbytes
    (kernel,) = (event for event in events if event.get("cat") == "kernel")
    order = [call, there, kernel, back]
    starts = [event["ts"] for event in order]
    assert starts == sorted(starts)
    for event in order[1:]:
        assert event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 50  # two clocks: 50 µs
    assert spans["draw.disk"]["ts"] >= call["ts"] + call["dur"]
