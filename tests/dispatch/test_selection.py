"""Which backends are asked, for every way to select them."""

import asyncio
import contextvars
import re
import threading
from pathlib import Path

import pytest

from skimage_gpu_backend import environ, use_backends
from skimage_gpu_backend.dispatch import selection


def selected():
    return selection.current().backends


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, ()),
        ({"SKIMAGE_BACKENDS": "gpu"}, ("gpu",)),
        ({"SKIMAGE_BACKENDS": " zebra , gpu,,gpu "}, ("zebra", "gpu")),
        ({"SKIMAGE_BACKENDS": "gpu, cucim"}, ("gpu", "cucim")),
        ({"SKIMAGE_BACKENDS": "True"}, ("gpu", "cpu", "zebra")),
        ({"SKIMAGE_BACKENDS": "1"}, ("gpu", "cpu", "zebra")),
        ({"SKIMAGE_BACKENDS": "False"}, ()),
        ({"SKIMAGE_BACKENDS": "0"}, ()),
        ({"SKIMAGE_BACKENDS": ""}, ()),
        ({"SKIMAGE_BACKENDS": "GPU, cuCIM, gpu"}, ("gpu", "cucim")),
        ({"SKIMAGE_BACKENDS": "gpu; cucim"}, ("gpu", "cucim")),
        ({"SKIMAGE_BACKENDS": "gpu cucim"}, ("gpu", "cucim")),
        ({"SKIMAGE_DISPATCHING": "True"}, ("gpu", "cpu", "zebra")),
        ({"SKIMAGE_DISPATCHING": "False", "SKIMAGE_BACKEND_PRIORITY": "gpu"}, ()),
        ({"SKIMAGE_BACKEND_PRIORITY": "gpu"}, ()),
        ({"SKIMAGE_DISPATCHING": "True", "SKIMAGE_BACKEND_PRIORITY": "zebra"}, ("zebra",)),
        ({"SKIMAGE_DISPATCHING": "True", "SKIMAGE_BACKENDS": "False"}, ()),
        ({"SKIMAGE_NO_DISPATCHING": "1", "SKIMAGE_BACKENDS": "gpu"}, ()),
        ({"SKIMAGE_NO_DISPATCHING": "0", "SKIMAGE_BACKENDS": "gpu"}, ("gpu",)),
    ],
)
def test_variables_select(environment, expected, install, monkeypatch):
    install("zebra")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert selected() == expected


def test_a_program_may_set_the_variables_while_it_runs(monkeypatch):
    assert selected() == ()
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    assert selected() == ("gpu",)
    monkeypatch.setenv("SKIMAGE_BACKENDS", "False")
    assert selected() == ()


def test_only_names_that_are_written_count_as_named(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "True")
    assert selection.current().named == ()
    monkeypatch.setenv("SKIMAGE_BACKENDS", "cucim")
    assert selection.current().named == ("cucim",)


def test_an_unknown_name_warns_once_and_is_passed_over(install, monkeypatch):
    install("zebra")
    monkeypatch.setenv("SKIMAGE_BACKENDS", "quagga, gpu")
    with pytest.warns(UserWarning, match="'quagga'.*installed are cpu, cucim, gpu, zebra") as told:
        assert selected() == ("gpu",)
        assert selected() == ("gpu",)
    assert len(told) == 1
    assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("name", "meant"), [("gpus", "gpu"), ("CUDA", "gpu"), ("cuCIN", "cucim"), ("zebr", "zebra")]
)
def test_an_unknown_name_is_answered_with_the_one_that_is_meant(install, monkeypatch, name, meant):
    install("zebra")
    monkeypatch.setenv("SKIMAGE_BACKENDS", name)
    with pytest.warns(UserWarning, match=rf"did you mean {meant}\?"):
        assert selected() == ()
    with pytest.raises(ValueError, match=rf"did you mean {meant}\?"):
        use_backends(name)


def test_a_misspelt_truth_warns_and_selects_nothing(monkeypatch):
    monkeypatch.setenv("SKIMAGE_DISPATCHING", "yes please")
    selection._read.clear()
    with pytest.warns(UserWarning, match="SKIMAGE_DISPATCHING is True or False"):
        assert selected() == ()


def test_use_backends_outranks_variables_and_nests(monkeypatch):
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    with use_backends("cucim", "gpu"):
        assert selected() == ("cucim", "gpu")
        with use_backends("cucim"):
            assert selected() == ("cucim",)
        with use_backends():
            assert selected() == ()
        assert selected() == ("cucim", "gpu")
    assert selected() == ("gpu",)


def test_no_dispatching_outranks_use_backends(monkeypatch):
    monkeypatch.setenv("SKIMAGE_NO_DISPATCHING", "1")
    with use_backends("gpu"):
        assert selected() == ()
        assert selection.current().off


def test_selection_ends_with_an_exception():
    with pytest.raises(ZeroDivisionError), use_backends("gpu"):
        raise ZeroDivisionError
    assert selected() == ()


def test_use_backends_decorates_a_function_that_may_call_itself():
    @use_backends("gpu")
    def nested(depth):
        return nested(depth - 1) if depth else selected()

    assert nested(3) == ("gpu",)
    assert selected() == ()


def test_conversion_is_off_where_either_side_switches_it_off(monkeypatch):
    with use_backends("gpu", convert=False):
        assert not selection.current().convert
    monkeypatch.setenv("SKIMAGE_GPU_CONVERT", "0")
    assert not selection.current().convert
    with use_backends("gpu", output="cupy"):
        assert not selection.current().convert
        assert selection.current().output == "cupy"
        assert selected() == ("gpu",)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [(("quagga",), {}, "quagga.*installed are"), (("gpu",), {"output": "numpy"}, "'numpy'")],
)
def test_use_backends_refuses_what_it_does_not_know(names, options, message):
    with pytest.raises(ValueError, match=message):
        use_backends(*names, **options)


def test_threads_do_not_see_each_others_selection():
    seen = {}
    both_inside = threading.Barrier(2)

    def work(name):
        with use_backends(name):
            both_inside.wait(10)
            seen[name] = selected()
            both_inside.wait(10)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("gpu", "cucim")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"gpu": ("gpu",), "cucim": ("cucim",)}
    assert selected() == ()


def test_a_thread_that_is_given_the_context_has_its_selection():
    seen = []
    with use_backends("gpu"):
        context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(lambda: seen.append(selected()),))
    thread.start()
    thread.join()
    assert seen == [("gpu",)]


def test_asynchronous_tasks_do_not_see_each_others_selection():
    async def work(name, started, other):
        with use_backends(name):
            started.set()
            await other.wait()
            return selected()

    async def both():
        first, second = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(work("gpu", first, second), work("cucim", second, first))

    assert asyncio.run(both()) == [("gpu",), ("cucim",)]


def test_a_misspelt_variable_of_ours_is_met_with_help(python):
    program = "import numpy as np, skimage as ski\nfor i in 1, 2: ski.util.invert(np.ones(3))"
    wrong = {"SKIMAGE_GPU_MIN_SIZE": "0", "SKIMAGE_GPU_XYZZY": "1"}
    told = python("-W", "always", "-c", program, SKIMAGE_BACKENDS="gpu", **wrong).stderr
    assert told.count("SKIMAGE_GPU_MIN_SIZE is no variable") == 1
    assert "SKIMAGE_BACKENDS_MIN_SIZE is meant?" in told
    assert "SKIMAGE_GPU_XYZZY is no variable of skimage-gpu-backend; there are" in told


def test_every_variable_that_the_package_mentions_is_known():
    sources = "\n".join(p.read_text() for p in Path(environ.__file__).parent.rglob("*.py"))
    mentioned = set(re.findall(r"\bSKIMAGE_GPU_[A-Z_]*[A-Z]", sources))
    assert mentioned <= set(environ.VARIABLES)
