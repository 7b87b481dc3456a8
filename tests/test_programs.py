"""Programs from the field: what they find is the plain run's, and what crosses the bus is known."""

import importlib
import runpy
from pathlib import Path

import cupy as cp
import numpy as np
import pytest
from skimage import metrics

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch.observe import observe
from tests.test_examples import EXAMPLES

pytestmark = pytest.mark.thorough


@pytest.fixture
def program(however_small, monkeypatch, counting):
    """Runs an example plainly and on the device, without cuCIM, with results that stay there.

    Gives the variables of both runs, and what the second one has copied. All of its calls but
    those that scikit-image and the backend refuse run on the device.
    """
    monkeypatch.setattr("skimage_gpu_backend.sources.no_cucim_because", lambda: "left out here")

    def run(name, *arguments, refused=0):
        monkeypatch.setattr("sys.argv", [name])
        expected = runpy.run_path(EXAMPLES / name)
        monkeypatch.setattr("sys.argv", [name, *arguments])
        with (
            use_backends("gpu", output="resident"),
            observe() as calls,
            counting() as counts,
        ):
            found = runpy.run_path(EXAMPLES / name)
        assert {call.source for call in calls if call.backend} == {"kernel"}
        assert sum(call.backend is None for call in calls) == refused
        return expected, found, counts

    return run


def test_molecules_are_found_with_their_directions_in_a_volume_that_stays(
    program, monkeypatch, capsys
):
    """All directions at a time, and 25: what is free on the device decides."""
    free = iter([10**10, 20 * 8 * 49**3 + 25 * 4 * 8 * 13**3])

    def told():
        return {"devices": {0: {"free": next(free)}}}

    monkeypatch.setattr("skimage_gpu_backend.memory", told)
    expected, found, counts = program("template_matching.py")
    assert (expected["batch"], found["batch"]) == (60, 25)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == lines[5:]
    assert lines[4] == "4 copies, 4 of the 4 planted ones"
    assert [copy[1:] for copy in found["copies"]] == [copy[1:] for copy in expected["copies"]]
    for (height, *_), (height_too, *_) in zip(found["copies"], expected["copies"], strict=True):
        np.testing.assert_allclose(height, height_too, rtol=1e-9)
    np.testing.assert_allclose(found["volume"], expected["volume"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["drawn"], expected["drawn"], rtol=0, atol=1e-12)

    few = 40_000  # bytes
    volume, of_molecule = expected["volume"].nbytes, expected["molecule"].nbytes
    turns = 60 + 2 * 4  # each with three coordinates a voxel; 11 calls bring the molecule
    came = volume + 3 * turns * of_molecule + 11 * of_molecule
    assert came <= counts.bytes_to_device < came + few
    # a search's peaks come with room for others; the volume, of which a picture is made, and eight
    # turned molecules of which the host makes it, are blocks of managed memory
    block = 2**16
    went = 60 * block + (volume + block) + 8 * block
    assert counts.bytes_to_host < went + few


def test_a_plane_is_reconstructed_with_no_copy_in_the_loop(program, tmp_path, capsys):
    picture = str(tmp_path / "planes.png")
    expected, found, counts = program("tv_tomography.py", picture, "96", "cupy")
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[:2]
        == lines[2:]
        == [
            "filtered: 20.56 % of the sample",
            "total variation: 10.92 % of the sample",
        ]
    )
    for name, plane in expected["planes"].items():
        np.testing.assert_allclose(found["planes"][name], plane, rtol=0, atol=1e-10)

    plane, sinogram = expected["sample"].nbytes, expected["sinogram"].nbytes
    few = 100_000  # bytes: angles and their matrices, for 26 calls
    # the sample for its projections, both planes beside it for errors, all three for the picture
    assert counts.bytes_to_device < (1 + 4 + 3) * plane + sinogram + plane / 8 + few
    assert counts.bytes_to_host < sinogram + 3 * plane + few  # 12 planes would be too many
    assert counts.to_device <= 50
    assert counts.to_host <= 35


def test_quality_is_the_same_whatever_the_arrays_are_and_kinds_do_not_mix(
    program, monkeypatch, tmp_path, capsys, counting
):
    """PyTorch's and JAX's stand-ins speak their protocols, and calculate by CuPy."""
    kinds = "numpy", "cupy"
    picture = str(tmp_path / "images.png")
    expected, found, _ = program("ultrasound_quality.py", picture, "128", *kinds, refused=1)
    told = "im1 is a NumPy array and im2 is a CuPy array; give arrays of one kind"
    assert found["refused"] == [told]
    assert capsys.readouterr().out.splitlines()[-1] == told
    assert set(found["makers"]) == {"numpy", "cupy"}
    numbers = {name: each for (_, name), each in expected["found"].items()}
    for (_, name), each in found["found"].items():
        assert each == pytest.approx(numbers[name], rel=1e-4)

    monkeypatch.syspath_prepend(Path(__file__).parent / "adapt" / "libraries")
    calculating = ("getitem", "add", "sub", "lt", "truediv", "pow")
    for module, name in (("tensors", "Tensor"), ("immutable", "Array")):
        library = getattr(importlib.import_module(module), name)
        for operator in calculating:
            _delegate(monkeypatch, library, f"__{operator}__")
        monkeypatch.setattr(library, "max", lambda self: self.array.max(), raising=False)
        given = [library(cp.asarray(expected[each])) for each in ("image", "reference", "regions")]
        with counting() as counts:
            each, dark = found["quality"](*given)
        few = 10_000  # bytes; an image is 65 kB
        assert counts.bytes_to_device < few
        assert counts.bytes_to_host < few
        assert type(dark) is library
        assert each == pytest.approx(numbers["compound"], rel=1e-4)
        with pytest.raises(TypeError, match=f"NumPy array .* {module} {name}"):
            metrics.structural_similarity(expected["image"], given[1], data_range=1)


def _delegate(monkeypatch, library, operator):
    def calculated(self, other):
        result = getattr(self.array, operator)(getattr(other, "array", other))
        return library(result) if result.ndim else result

    monkeypatch.setattr(library, operator, calculated, raising=False)
