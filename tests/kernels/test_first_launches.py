"""The first minute on a GPU: something of every kernel file is launched."""

import pytest

from skimage_gpu_backend.device import loading

from . import first_launches


@pytest.mark.thorough
def test_every_kernel_file_is_launched_and_gives_scikit_image_s_results(python):
    simulator = {"SKIMAGE_GPU_SIMULATOR": "1", "CUDA_SIMULATOR_OPTIMIZE": "0"}
    done = python("-m", "tests.kernels.first_launches", **simulator)
    assert done.stdout.endswith("0 calls failed, 0 files were never launched\n")


def test_a_kernel_that_is_refused_is_told_with_its_call(monkeypatch, capsys, enabled):
    for variable in ("SKIMAGE_BACKENDS_MIN_SIZE", "SKIMAGE_BACKENDS_NOTIFY"):
        monkeypatch.setenv(variable, "0")  # which it sets

    def refuse(*args):
        raise RuntimeError("no such kernel image")

    monkeypatch.setattr(loading, "_function", refuse)
    monkeypatch.setattr(first_launches, "_in_turn", lambda left: [first_case()])
    loading.forget()
    assert not first_launches.main()
    told = capsys.readouterr().out
    assert "skimage.util:invert-standard" in told
    assert "no such kernel image" in told
    assert "never launched: util/invert.cu" in told


def test_kernels_that_were_launched_before_are_left_out(monkeypatch, tmp_path, capsys, enabled):
    for variable in ("SKIMAGE_BACKENDS_MIN_SIZE", "SKIMAGE_BACKENDS_NOTIFY"):
        monkeypatch.setenv(variable, "0")  # which it sets
    seen = []

    def cases(left):
        seen.append(set(left))
        return [first_case()]

    monkeypatch.setattr(first_launches, "_in_turn", cases)
    for _ in range(2):
        loading.forget()
        first_launches.main(tmp_path / "launches.txt")
    assert seen[0] - seen[1] == {"util/invert.cu"}


def first_case():
    from tests.differential.sweeps import SWEEPS

    sweep = next(sweep for sweep in SWEEPS if sweep.name == "skimage.util:invert")
    return next(sweep.cases())
