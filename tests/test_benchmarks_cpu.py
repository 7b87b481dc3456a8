"""`python -m benchmarks.cpu` measures calls, memory and a script, and reports what fails."""

import pytest

from benchmarks import cpu
from benchmarks.ways import Call
from tests.benchmarked import kept


@pytest.fixture
def on_cpu(kept_environment, tmp_path, capsys):
    """Runs the command on a small image; its rows and what it prints."""

    def run(*options):
        options = ("--min-size", "0", *options, "--out", str(tmp_path))
        cpu.main(["filters:sobel_h", "--sides", "48", *options])
        name = "cpu_memory_from_0" if "--memory" in options else "cpu_from_0"
        printed = capsys.readouterr().out
        return kept(tmp_path, name), printed[printed.index("# ") :]

    return run


def test_the_cpu_is_timed_with_one_thread_and_with_all(on_cpu, monkeypatch):
    rows, shown = on_cpu()
    float32, _, volume = rows
    assert all(float32[way]["us"] > 0 for way in cpu.WAYS)
    assert all(float32[way]["ratio"] > 0 for way in cpu.OURS)
    assert "refused" in volume["scikit-image"]
    assert "| 48 | 1 | 1 |" in shown and "| 160 |" not in shown
    monkeypatch.setattr(cpu, "_measured", lambda *args: pytest.fail("measured again"))
    assert on_cpu() == (rows, shown)
    assert on_cpu("--report") == (rows, shown)


def test_the_memory_of_results_is_counted(on_cpu):
    (float32, *_), shown = on_cpu("--memory")
    assert all(float32[way]["bytes"] >= 48 * 48 * 4 for way in cpu.WAYS)
    assert "| `filters.sobel_h` | float32 |" in shown


def test_wrong_results_are_not_timed(on_cpu, monkeypatch):
    observed = Call.observed

    def wrong(call, way):
        result, why = observed(call, way)
        return result * (1 + 1e-2), why

    monkeypatch.setattr(Call, "observed", wrong)
    (float32, *_), shown = on_cpu()
    assert "differs" in float32["cpu"] and "scikit-image" not in float32
    assert "| 48 | 1 | 0 | 1.00 | 1.00 | 0 | 2 |" in shown


def test_slow_calls_on_the_cpu_are_measured_three_times(on_cpu, monkeypatch):
    turns = iter([(2.0, 1.0, 1.0), (1.0, 2.0, 1.0), (1.0, 4.0, 1.0), (1.0, 8.0, 1.0)])

    def in_rounds(runs, rounds):
        return {way: {"us": us} for way, us in zip(runs, next(turns), strict=True)}

    monkeypatch.setattr(cpu, "in_rounds", in_rounds)
    (float32, uint8, _), shown = on_cpu()
    assert float32["cpu, one thread"] == {"us": 1.0, "ratio": 2.0}
    assert uint8["cpu, one thread"] == {"us": 4.0, "ratio": 0.25}
    assert "| 48 | 1 | 1 | 0.71 | 1.41 | 1 | 0 |" in shown
    assert "`filters.sobel_h` of uint8, 48: 0.25 with one thread, 1.0 with all" in shown


def test_a_call_that_is_declined_counts_as_scikit_images(on_cpu, monkeypatch):
    monkeypatch.setattr(Call, "observed", lambda call, way: (call.run("scikit-image"), "small"))
    (float32, *_), shown = on_cpu()
    assert float32["cpu"] == {"declined": "small"}
    assert "| 48 | 1 | 0 | 1.00 | 1.00 | 0 | 0 |" in shown


@pytest.mark.thorough
def test_ten_calls_are_measured_as_a_program(kept_environment, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cpu, "SIDE", 128)
    cpu.main(["--script", "--min-size", "0", "--out", str(tmp_path)])
    (row,) = kept(tmp_path, "cpu_script_from_0")
    assert row["same_output"]
    assert all(row[way]["us"] > 0 and row[way]["bytes"] > 1 << 24 for way in cpu.WAYS)
    assert "The outputs are the same." in capsys.readouterr().out
