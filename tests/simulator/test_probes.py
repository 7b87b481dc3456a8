"""The stand-in answers as CuPy does, and CuPy as its sources say where there is a GPU."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import cuda_simulator
from tests.simulator.probes import Probe, difference, probes

_PROBES = probes()


def test_each_call_is_answered_as_by_cupy():
    different = {probe: difference(probe) for probe in _PROBES}
    lines = [f"{p} -> {p.answer}\n    {found}" for p, found in different.items() if found]
    assert not lines, "\n".join(lines)
    assert len(_PROBES) > 900


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("cp.zeros(2)", "cp.ones(2)"),
        ("cp.zeros(2)", "cp.zeros(2, int)"),
        ("cp.zeros(2)", "cp.zeros((1, 2))"),
        ("cp.zeros(2)", "np.zeros(2)"),
        ("np.float64(1)", "1.0"),
        ("(1, 2)", "(1,)"),
        ("[cp.zeros(2), 1]", "[cp.zeros(2), 2]"),
        ("1", "TypeError"),
        ("1 / 0", "TypeError"),
        ("1 / 0", "1"),
        ("1 / 0", "ZeroDivisionError: by one"),
        ("c8(2).astype(complex)", "ComplexWarning"),
    ],
)
def test_another_answer_is_a_difference(call, answer):
    assert difference(Probe("", 0, call, answer))


@pytest.mark.thorough
def test_cupy_refuses_as_the_tables_say_as_far_as_it_comes_without_a_gpu():
    """CuPy's arrays over memory of the host: what it checks before it asks a device is true."""
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_A_GPU],
        cwd=_FOLDER,
        env={**os.environ, "SKIMAGE_GPU_SIMULATOR": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "No module named 'cupy'" in done.stderr:
        pytest.skip("needs the real CuPy, which need not find a GPU")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert int(done.stdout.splitlines()[-1]) > 300


_FOLDER = Path(__file__).resolve().parents[2]
_WITHOUT_A_GPU = """
import sys
import cupy as cp
from tests.simulator import probes


def over_the_host(host):
    memory = cp.cuda.UnownedMemory(host.ctypes.data, host.nbytes, host, 0)
    return cp.ndarray(host.shape, host.dtype, cp.cuda.MemoryPointer(memory, 0))


probes.on_device = over_the_host
found = {probe: probes.difference(probe) for probe in probes.probes()}
asked = ("cudaError", "CUDA_ERROR", "Failure finding", ".done")  # a device or its libraries
wrong = {p: text for p, text in found.items() if text and not any(a in f"{p}{text}" for a in asked)}
for probe, text in wrong.items():
    print(probe, "->", probe.answer, "|", text)
print(sum(text is None for text in found.values()))
sys.exit(len(wrong))
"""


@pytest.mark.thorough
@pytest.mark.skipif(not cuda_simulator.active(), reason="of the stand-in")
@pytest.mark.parametrize(("answer", "status"), [("1", 0), ("2", 1)])
def test_the_command_fails_where_a_line_differs(tmp_path, answer, status):
    (tmp_path / "table.txt").write_text(f"# one line\ncp.array(1).item() -> {answer}\n")
    program = (
        "import cuda_simulator; cuda_simulator.activate()\n"
        "import pathlib, sys; from tests.simulator import probes\n"
        f"probes.TABLES = pathlib.Path({str(tmp_path)!r})\n"
        "from tests.simulator.probes.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=_FOLDER, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert f"{status} of 1 differ" in done.stdout
