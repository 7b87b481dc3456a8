"""The CPU's threads: how many a call uses, and calls from several threads and processes."""

import ctypes
import platform
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.fft

from skimage_gpu_backend.devices.cpu import threads
from skimage_gpu_backend.devices.cpu.arrays import ArrayModule
from skimage_gpu_backend.devices.cpu.engine import engine
from tests.devices.parallel import Held, held, launch, number, squares_are_right, threads_that_meet

CORES = 4
ROUNDS_UP = {"x86_64": 0x800, "aarch64": 0x400000}  # FE_UPWARD of fenv.h


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    """The machine seems to have four cores, and no variable limits them."""
    before = threads.cores()
    monkeypatch.setattr(threads, "cores", lambda: CORES)
    for name in ("OMP_NUM_THREADS", "SKIMAGE_BACKENDS_THREADS"):
        monkeypatch.delenv(name, raising=False)
    engine().engine_set_cores(CORES)
    yield
    engine().engine_set_cores(before)


@pytest.fixture
def callers():
    """Several threads that call."""
    with ThreadPoolExecutor(8) as pool:
        yield pool
        for each in held:
            each.release(2)
        held.clear()


def limited(callers, limit, blocks):
    """A held launch of another thread that is limited."""

    def submit(function, *args):
        def call():
            with threads.limited_to(limit):
                function(*args)

        return callers.submit(call)

    return Held(submit, blocks)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, 4),
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "2,8"}, 2),
        ({"OMP_NUM_THREADS": "16"}, 4),
        ({"OMP_NUM_THREADS": ""}, 4),
        ({"SKIMAGE_BACKENDS_THREADS": "3"}, 3),
        ({"SKIMAGE_BACKENDS_THREADS": "3", "OMP_NUM_THREADS": "2"}, 2),
        ({"SKIMAGE_BACKENDS_THREADS": "1", "OMP_NUM_THREADS": "2"}, 1),
    ],
)
def test_variables_limit_threads(monkeypatch, variables, expected):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert threads.count() == expected


def test_a_context_limits_threads(callers):
    with threads.limited_to(2):
        assert threads.count() == 2
        assert callers.submit(threads.count).result() == 4  # of its own thread only
        with threads.limited_to(None):
            assert threads.count() == 4
        with threads.limited_to(8):
            assert threads.count() == 4
    assert threads.count() == 4


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "SKIMAGE_BACKENDS_THREADS"])
def test_a_limit_that_is_no_number_is_ignored(monkeypatch, name):
    monkeypatch.setenv(name, "many")
    assert threads.count() == 4


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/", {"cpu.max": "250000 100000"}, [3]),
        ("0::/", {"cpu.max": "max 100000"}, []),
        ("0::/", {}, []),
        ("0::/a/b", {"cpu.max": "max 100000", "a/cpu.max": "5 10", "a/b/cpu.max": "20 10"}, [2, 1]),
        ("0::/on/the/host", {"cpu.max": "20 10"}, [2]),
        (
            "5:cpuset:/\n2:cpu,cpuacct:/a\n0::/",
            {"cpu,cpuacct/a/cpu.cfs_quota_us": "150", "cpu,cpuacct/a/cpu.cfs_period_us": "100"},
            [2],
        ),
        ("1:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100"}, []),
    ],
)
def test_cgroups_limit_cores(tmp_path, membership, files, expected):
    listed, root = tmp_path / "listed", tmp_path / "root"
    listed.write_text(membership + "\n")
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    assert list(threads.quotas(listed, root)) == expected


@pytest.mark.parametrize("limit", [1, 2, None])
def test_a_launch_uses_as_many_threads_as_it_may(callers, limit):
    expected = limit or CORES
    with threads.limited_to(limit):
        if expected > 1:  # the calling thread and others
            assert threads_that_meet(expected) == expected
        launched = limited(callers, limit, 64)
    if expected <= CORES - 2:  # another launch's thread is free again, and looks for work
        assert threads_that_meet(2) == 2
        time.sleep(0.05)
    assert launched.finish() <= expected


def test_calls_from_several_threads_run_at_once(callers):
    arrived, met = number(), number()
    calls = [callers.submit(launch, "meet", 1, arrived, np.int32(3), met) for _ in range(3)]
    for call in calls:
        call.result()
    assert met == 3


def test_threads_leave_launches_where_callers_need_the_cores(callers):
    long = Held(callers.submit, 32, early=CORES)
    long.wait_for(lambda: long.running == CORES)
    others = [Held(callers.submit, 1) for _ in range(CORES - 1)]
    long.release()
    long.wait_for(lambda: long.running == 1)
    for each in others:
        each.finish()
    long.wait_for(lambda: long.running == CORES)
    assert long.finish() == CORES


@pytest.mark.parametrize("limit", [1, 2])
def test_transforms_of_large_arrays_use_as_many_threads_as_they_may(monkeypatch, limit):
    original, workers = scipy.fft.rfftn, []
    monkeypatch.setattr(
        scipy.fft,
        "rfftn",
        lambda *args, **kw: workers.append(kw["workers"]) or original(*args, **kw),
    )
    fft = type(ArrayModule.fft)()
    for shape in ((8, 8), (512, 512)):
        image = np.random.default_rng(0).random(shape)
        with threads.limited_to(limit):
            spectrum = fft.rfftn(image)
        np.testing.assert_allclose(spectrum, np.fft.rfftn(image), atol=1e-9)
    assert workers == [1, limit]


def test_many_launches_from_many_threads_are_right(callers):
    def calls(seed):
        random = np.random.default_rng(seed)
        with threads.limited_to(int(random.integers(1, 6))):
            return [
                squares_are_right(int(random.integers(1, 300)), int(random.integers(0, 2000)))
                for _ in range(200)
            ]

    assert all(map(all, callers.map(calls, range(8))))


def test_an_error_in_a_kernel_is_an_exception(callers):
    def call(where):
        out = np.zeros(100, np.int32)
        try:
            launch("fail", 100, np.int32(where), out)
        except RuntimeError as error:
            return str(error)
        return bool(out.all())

    for _ in range(20):
        places = [-1, 0, 1, 50, 99, -1, 98, 3]
        for where, message in zip(places, callers.map(call, places), strict=True):
            parity = "odd" if where % 2 else "even"
            assert message is True if where < 0 else f"assertion `{parity}` failed at" in message
        assert squares_are_right()


@pytest.mark.skipif(platform.machine() not in ROUNDS_UP, reason="another fenv.h")
def test_all_threads_round_as_the_calling_one():
    libm = ctypes.CDLL("libm.so.6")
    out = [np.zeros(256, np.float32) for _ in range(3)]
    before = libm.fegetround()
    for mode, each in zip((before, ROUNDS_UP[platform.machine()], before), out, strict=True):
        libm.fesetround(mode)
        try:
            launch("divide", 256, np.float32(-1), np.float32(3), each)
        finally:
            libm.fesetround(before)
    assert [len(np.unique(each)) for each in out] == [1, 1, 1]
    assert out[0][0] == out[2][0] < out[1][0]


PARENT_AND_CHILDREN = """
import multiprocessing, os, sys
from concurrent.futures import ThreadPoolExecutor
from tests.devices.parallel import Held, squares_are_right, threads_that_meet
from skimage_gpu_backend.devices.cpu import engine, threads

def call(_):
    return squares_are_right(), threads.count()

if __name__ == "__main__":
    way = sys.argv[1]
    threads.cores = lambda: 4
    engine.engine().engine_set_cores(4)
    assert threads_that_meet(4) == 4
    with ThreadPoolExecutor() as callers:
        launched = Held(callers.submit, 64)
        if way == "os.fork":
            child = os.fork()
            if not child:
                os._exit(threads_that_meet(4))
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        elif way == "joblib":
            import joblib
            print(joblib.Parallel(2)(joblib.delayed(call)(i) for i in range(2)))
        else:
            with multiprocessing.get_context(way).Pool(2) as pool:
                print(pool.map(call, range(2)))
        assert launched.finish() == 4
"""


@pytest.mark.parametrize("way", ["os.fork", "fork", "spawn", "forkserver", "joblib"])
def test_child_processes_compute_and_share_cores(python, way):
    if way == "joblib":
        pytest.importorskip("joblib")
    done = python(python.script(PARENT_AND_CHILDREN), way, OMP_NUM_THREADS="")
    assert done.stdout.strip() == ("4" if way == "os.fork" else "[(True, 1), (True, 1)]")


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from tests.devices.parallel import launch, number, squares_are_right

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
arrived, met = number(), number()

def interrupt():
    while not arrived:
        pass
    os.kill(os.getpid(), signal.SIGINT)
    arrived[0] += 1

threading.Thread(target=interrupt).start()
try:
    launch("meet", 1, arrived, np.int32(2), met)
    time.sleep(5)  # the system may deliver the signal a little later
except KeyboardInterrupt:
    print("interrupted", met[0], squares_are_right())
"""


def test_an_interrupt_arrives_when_the_launch_is_over(python):
    assert python("-c", INTERRUPTED).stdout.split() == ["interrupted", "1", "True"]


LEFT = """
import threading
from tests.devices.parallel import Held

def submit(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()

Held(submit, 64)
print("left")
"""


def test_the_interpreter_exits_while_a_daemon_thread_is_in_a_launch(python):
    done = python("-c", LEFT)
    assert (done.stdout, done.stderr) == ("left\n", "")


STARTED = """
from pathlib import Path
from skimage_gpu_backend.devices.cpu import engine, threads
from tests.devices.parallel import squares_are_right

def of_the_pool():
    return sum(f.read_text() == "skimage-cpu\\n" for f in Path("/proc/self/task").glob("*/comm"))

threads.cores = lambda: 4
engine.engine().engine_set_cores(4)
for limit in (1, 2, None):
    with threads.limited_to(limit):
        assert squares_are_right(1000)
        print(of_the_pool())
"""


def test_no_more_threads_are_started_than_are_used(python):
    assert python("-c", STARTED, OMP_NUM_THREADS="").stdout.split() == ["0", "1", "3"]
