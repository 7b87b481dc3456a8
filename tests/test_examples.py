"""The examples run on the device, and print what they print without it."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe

EXAMPLES = Path(__file__).parents[1] / "examples"
OF_THEIR_OWN = {
    "out_of_core",
    "proposal",  # selects by itself: test_proposal.py
    "stain_normalization",
    "template_matching",
    "tv_tomography",
    "ultrasound_quality",
}  # tests, here or in test_programs.py
STAY = {  # on the CPU
    "microscopy": {"ellipse"},
    "galaxies": {"circle_perimeter"},
    "panorama": {
        "ORB.detect_and_extract",
        "img_as_float",
    },  # steps of ORB are on the device
}


@pytest.mark.filterwarnings("ignore::skimage.util._backends.DispatchNotification")
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(
            path, marks=[pytest.mark.thorough] * (path.stem != "registration"), id=path.stem
        )
        for path in sorted(EXAMPLES.glob("*.py"))
        if path.stem not in OF_THEIR_OWN
    ],
)
def test_example_runs_on_the_device_and_prints_the_same(enabled, capsys, monkeypatch, example):
    monkeypatch.setattr("sys.argv", [str(example)])
    runpy.run_path(example)
    expected = capsys.readouterr().out
    assert expected
    monkeypatch.setenv(
        "SKIMAGE_BACKENDS_MIN_SIZE", "0"
    )  # a conversion to gray is not worth the bus
    with use_backends("gpu"), observe() as calls:
        runpy.run_path(example)
    assert capsys.readouterr().out == expected
    ran = {call.name.partition(":")[2]: call.backend for call in calls}
    assert len(ran) > 3
    assert {name for name, backend in ran.items() if backend is None} == STAY.get(
        example.stem, set()
    )


@pytest.mark.thorough
def test_tomography_runs_on_kernels_without_cucim(enabled, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["tomography.py"])
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = runpy.run_path(EXAMPLES / "tomography.py")
    with use_backends("gpu", output="resident"), observe() as calls:
        found = runpy.run_path(EXAMPLES / "tomography.py")
    assert {call.source for call in calls} == {"kernel"}
    assert len(set(capsys.readouterr().out.splitlines())) == len(expected["planes"]) - 1
    for name, plane in expected["planes"].items():
        np.testing.assert_allclose(found["planes"][name], plane, rtol=0, atol=1e-12)


@pytest.mark.thorough
def test_denoising_runs_on_kernels_without_cucim(enabled, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["denoising.py"])
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    expected = runpy.run_path(EXAMPLES / "denoising.py")["images"]
    with use_backends("gpu", output="resident"), observe() as calls:
        found = runpy.run_path(EXAMPLES / "denoising.py")["images"]
    assert {call.source for call in calls} == {"kernel"}
    assert len(set(capsys.readouterr().out.splitlines())) == len(expected)
    for name in ("bilateral", "total variation"):
        np.testing.assert_array_equal(found[name], expected[name])
    for name, image in expected.items():
        np.testing.assert_allclose(found[name], image, rtol=0, atol=1e-12)


@pytest.mark.thorough
def test_surfaces_are_made_and_measured_on_the_device(enabled, capsys, monkeypatch, tmp_path):
    """Without cuCIM; what is printed is what the CPU prints."""
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    saved = []
    for selected in ({}, {"output": "resident"}):
        monkeypatch.setattr("sys.argv", ["surfaces.py", str(tmp_path / "solid.obj")])
        with use_backends(*(["gpu"] if selected else []), **selected), observe() as calls:
            meshes = runpy.run_path(EXAMPLES / "surfaces.py")["meshes"]
        lines = (tmp_path / "solid.obj").read_text().count("\n")
        saved.append((meshes, lines, capsys.readouterr().out))
    assert {call.source for call in calls} == {"kernel"}
    (expected, *told), (found, *told_too) = saved
    assert told == told_too
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours[1], theirs[1])
        np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-5)


@pytest.mark.thorough
def test_nuclei_stay_on_the_device_from_the_first_filter_to_the_table(
    enabled, capsys, monkeypatch, counting
):
    """Without cuCIM; the section goes there once, and numbers come back."""
    monkeypatch.setattr("sys.argv", ["immunohistochemistry.py"])
    example = EXAMPLES / "immunohistochemistry.py"
    expected = runpy.run_path(example)
    with (
        counting() as counts,
        use_backends("gpu", output="resident"),
        observe() as calls,
    ):
        found = runpy.run_path(example)
    assert {call.source for call in calls} == {"kernel"}
    few = 40_000  # bytes
    assert counts.bytes_to_device < expected["section"].nbytes + few
    of_a_nucleus = 8 * 60
    assert counts.bytes_to_host < few + of_a_nucleus * expected["nuclei"].max()
    assert counts.to_device <= 12
    assert counts.to_host <= 17

    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert len(expected["table"]) == 13  # twelve properties, one of them in two columns
    for name, column in expected["table"].items():
        np.testing.assert_allclose(found["table"][name], column, rtol=1e-10)
    np.testing.assert_array_equal(found["nuclei"], expected["nuclei"])
    np.testing.assert_allclose(found["outlined"], expected["outlined"], rtol=0, atol=1e-10)


@pytest.mark.thorough
def test_planes_of_a_field_go_to_the_device_and_little_else(enabled, capsys, monkeypatch, counting):
    """Without cuCIM; what NumPy makes between the calls comes back and goes there again."""
    for module in ("dask.array", "zarr"):
        pytest.importorskip(module)
    monkeypatch.setattr("sys.argv", ["microscopy.py"])
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    made = runpy.run_path(EXAMPLES / "microscopy.py")
    field, (expected, nuclei, fibres) = made["stack"][0], made["found"][0]
    with (
        counting() as counts,
        use_backends("gpu", output="resident"),
        observe() as calls,
    ):
        table, found, skeleton = made["cells_of"](field, made["light"])
    assert {call.source for call in calls} == {"kernel"}
    assert (found == nuclei).all() and (skeleton == fibres).all()
    for name, column in expected.items():
        np.testing.assert_allclose(table[name], column, rtol=1e-12)
    plane, few = 8 * field[0].size, 10_000  # bytes
    twice, mask = 2, 1 / 8  # nuclei are filtered and measured
    assert counts.bytes_to_device < (twice + 1 + mask + 1) * plane + few  # fibres; what is flooded
    assert counts.bytes_to_host < (2 + 2 * mask) * plane + few


@pytest.mark.thorough
def test_a_volume_on_workers_is_measured_as_in_memory(enabled, capsys, monkeypatch):
    for module in ("dask.array", "distributed", "zarr"):
        pytest.importorskip(module)
    monkeypatch.setattr("sys.argv", ["out_of_core.py"])
    monkeypatch.setenv("SKIMAGE_BACKENDS_MIN_SIZE", "0")
    with use_backends("gpu"), observe() as calls:
        left = runpy.run_path(EXAMPLES / "out_of_core.py", run_name="__main__")
    ran = [call.source for call in calls]
    assert ran == ["dask"] * 4 + ["kernel"] * 4
    assert capsys.readouterr().out.count(": True\n") == 2
    expected = ski.measure.label(left["in_memory"] > 0)
    assert len(left["table"]["label"]) == expected.max() > 50
    assert left["megabytes"] < 800
