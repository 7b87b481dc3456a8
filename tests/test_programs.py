"""Programs from the field: what they find is the plain run's, and what crosses the bus is known."""

import importlib
import runpy
import sys
from pathlib import Path

import cupy as cp
import numpy as np
import pytest
from skimage import color, feature, io, metrics

import cuda_simulator
from skimage_gpu_backend import use_backends
from skimage_gpu_backend.dispatch import registry, selection
from skimage_gpu_backend.dispatch.observe import observe
from tests.test_examples import EXAMPLES

pytestmark = pytest.mark.thorough


# what a backend that is selected before ours takes
OTHERS = {"gpu": (), "kept": ("skimage.feature:match_template",)}


@pytest.fixture
def program(however_small, monkeypatch, counting):
    """Runs an example plainly and on the device, without cuCIM, with results that stay there.

    Gives the variables of both runs, and what the second one has copied. All of its calls but
    those that scikit-image and the backend refuse, or another backend takes, run on the device.
    """

    def run(name, *arguments, refused=0, plain=(), selected=("gpu",)):
        monkeypatch.setattr("sys.argv", [str(EXAMPLES / name), *plain])
        expected = runpy.run_path(EXAMPLES / name)
        monkeypatch.setattr("sys.argv", [str(EXAMPLES / name), *arguments])
        monkeypatch.setenv("SKIMAGE_BACKENDS", ",".join(selected))
        with (
            use_backends(*selected, output="resident"),
            observe() as calls,
            counting() as counts,
        ):
            found = runpy.run_path(EXAMPLES / name)
        assert {call.source for call in calls if call.backend == "gpu"} == {"kernel"}
        assert sum(call.backend is None for call in calls) == refused
        others = {call.name for call in calls if call.backend not in ("gpu", None)}
        assert others == set(OTHERS[selected[0]])
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


@pytest.fixture
def kept(monkeypatch):
    """The backend that the search for molecules brings, as newly installed."""

    def forget():
        for cached in (registry._entry_points, registry.backend):
            cached.cache_clear()
        selection._read.clear()

    monkeypatch.syspath_prepend(EXAMPLES / "kept_transforms")
    monkeypatch.delitem(sys.modules, "kept_transforms", raising=False)
    forget()
    yield importlib.import_module("kept_transforms")
    forget()


def test_a_program_s_own_backend_transforms_the_volume_once(program, kept, monkeypatch, capsys):
    """Then a template for each of 60 directions; all on the device."""
    transformed, rfftn = [], cp.fft.rfftn
    monkeypatch.setattr(
        cp.fft, "rfftn", lambda a, *args: transformed.append(a.shape) or rfftn(a, *args)
    )
    expected, found, counts = program("template_matching.py", selected=("kept", "gpu"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == lines[5:]
    assert [copy[1:] for copy in found["copies"]] == [copy[1:] for copy in expected["copies"]]
    for (height, *_), (height_too, *_) in zip(found["copies"], expected["copies"], strict=True):
        np.testing.assert_allclose(height, height_too, rtol=1e-12)
    np.testing.assert_allclose(found["scores"].get(), expected["scores"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["drawn"].get(), expected["drawn"], rtol=0, atol=1e-12)

    assert transformed == [(36 + 13,) * 3] + 60 * [(13,) * 3]
    given = expected["volume"].nbytes + expected["molecule"].nbytes
    matrices, few = (60 + 2 * 4) * 9 * 8, 4000  # bytes
    assert counts.bytes_to_device < given + matrices + few
    of_search = 2**16 + 20  # peaks come with room for others; whether the volume is the same
    assert counts.bytes_to_host < 60 * of_search + expected["shown"].nbytes + few


@pytest.mark.skipif(not cuda_simulator.active(), reason="the simulator is asked for")
def test_the_program_s_own_backend_is_found_by_its_entry_points(python):
    given = {"SKIMAGE_GPU_SIMULATOR": "1", "SKIMAGE_BACKENDS_NOTIFY": "all"}
    done = python(EXAMPLES / "template_matching.py", SKIMAGE_BACKENDS="kept,gpu", **given)
    assert done.stdout.endswith("4 copies, 4 of the 4 planted ones\n")
    assert "'skimage.feature:match_template' was dispatched to the 'kept' backend" in done.stderr


@pytest.mark.parametrize("xp", [np, cp])
@pytest.mark.parametrize(
    ("shape", "small"),
    [((20, 31), (4, 7)), ((9, 8, 7), (1, 2, 3)), ((12, 12), (12, 12))],
)
def test_the_program_s_backend_sees_that_an_image_has_changed(kept, xp, shape, small):
    random = np.random.default_rng(0)
    image, template = random.normal(3, 1, shape), random.normal(0, 1, small)
    image[:5, :5] = 1  # nothing varies here
    given, templates = xp.asarray(image), xp.asarray(template)
    for value in (2, 3, 3):
        image[7, 6] = given[7, 6] = value
        for each in (templates, templates[::-1]):
            found = kept.match_template(given, each, pad_input=True)
            plain = feature.match_template(image, cp.asnumpy(each), pad_input=True)
            assert type(found) is xp.ndarray
            np.testing.assert_allclose(cp.asnumpy(found), plain, rtol=0, atol=1e-10)


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


SIDE = 32  # pixels of a tile along an axis


def test_tiles_get_the_stains_of_another_as_published(program, tmp_path, capsys):
    picture = str(tmp_path / "tiles.png")
    expected, found, _ = program(
        "stain_normalization.py",
        *(picture, str(SIDE), "numpy", "cupy"),
        plain=(picture, str(SIDE), "numpy"),
    )
    lines = capsys.readouterr().out.splitlines()
    plain, by_numpy, by_cupy = lines[:4], lines[6:10], lines[10:14]
    assert by_numpy == plain
    assert by_cupy == [line.replace("numpy", "cupy") for line in plain]
    assert set(found["found"]) == {
        (kind, m) for kind in ("numpy", "cupy") for m in found["METHODS"]
    }
    for (_, method), images in found["found"].items():
        wanted = expected["found"]["numpy", method]
        np.testing.assert_allclose(images, wanted, rtol=0, atol=1e-9)
    assert max(expected["apart"].values()) < 1e-10
    assert max(found["apart"].values()) < 1e-9
    distances = [float(line.split()[-4]) for line in plain]
    assert max(distances[1:]) < distances[0] / 2
    assert (io.imread(picture) == found["picture"]).all()


@pytest.fixture
def stains(monkeypatch, however_small):
    """What the program defines before it runs: a function of the side of its tiles."""

    def left(side=SIDE):
        monkeypatch.setattr("sys.argv", ["", "", str(side)])
        text = (EXAMPLES / "stain_normalization.py").read_text().partition("\nmakers = ")[0]
        there = {"__name__": "stain_normalization"}
        exec(compile(text, "stain_normalization.py", "exec"), there)
        return there

    return left


# (launches, those of CuPy included; copies to the device and to the host)
COUNTS = {"reinhard": (17, 0, 1), "macenko": (45, 13, 8), "matched": (6, 1, 2)}


@pytest.mark.parametrize("method", COUNTS)
@pytest.mark.parametrize("side", [SIDE, pytest.param(256, marks=pytest.mark.exhaustive)])
def test_a_batch_takes_the_launches_of_a_few_tiles(stains, counting, method, side):
    left = stains(side)
    reference, counted = cp.asarray(left["target"]), []
    for number in (8, 64):
        tiles = cp.asarray(left["batch"][:number])
        with counting() as counts:
            found = left[method](tiles, reference)
        assert isinstance(found, cp.ndarray)
        counted.append((counts.launches, counts.to_device, counts.to_host))
        # a histogram and a table for each channel, or matrices and percentiles of each tile
        of_tile = 4 * 3 * 256 * 8 if method == "matched" else 600
        assert counts.bytes_to_device + counts.bytes_to_host < number * of_tile + 8000
    assert counted == [COUNTS[method]] * 2


# copies of the batch's size to the device and to the host; of double numbers are eight times it
BATCHES = {"reinhard": (1 + 8, 8 + 8), "macenko": (1 + 8, 8 + 8), "matched": (1, 1)}


@pytest.mark.parametrize("method", BATCHES)
def test_numpy_s_tiles_cross_once_and_what_numpy_calculates_once_more(stains, counting, method):
    left = stains()
    tiles, there, back = left["batch"], *BATCHES[method]
    with use_backends("gpu", output="resident"), counting() as counts:
        left[method](tiles, left["target"]).max()
    of_channels = 64 * 3 * 256 * 8 * (method == "matched")  # histograms and tables
    few = 20 * left["target"].nbytes + 2 * 2**16  # the reference, in Lab too; pages that are begun
    assert there * tiles.nbytes <= counts.bytes_to_device < there * tiles.nbytes + of_channels + few
    assert back * tiles.nbytes <= counts.bytes_to_host < back * tiles.nbytes + 2 * of_channels + few
    assert counts.to_device <= 4
    assert counts.to_host <= 4


def test_tensors_are_normalized_where_they_lie(stains, counting, monkeypatch):
    """PyTorch's stand-in, which calculates by CuPy."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "adapt" / "libraries")
    tensors = importlib.import_module("tensors")
    _calculate(monkeypatch, tensors)
    left = stains()
    tiles, reference = left["batch"][::8], left["target"]
    for method in left["METHODS"].values():
        expected = method(tiles, reference)
        given = [tensors.Tensor(cp.asarray(each)) for each in (tiles, reference)]
        with counting() as counts:
            found = method(*given)
        assert type(found) is tensors.Tensor
        np.testing.assert_allclose(found.array.get(), expected, rtol=0, atol=1e-9)
        assert counts.bytes_to_device + counts.bytes_to_host < len(tiles) * 4 * 3 * 256 * 8 + 8000


def test_pytorch_itself_calculates_what_lies_between_the_functions(stains):
    torch = pytest.importorskip("torch")
    left = stains()
    tiles = left["batch"][::8]
    lab, density = color.rgb2lab(tiles), color.separate_stains(tiles, np.eye(3))
    density = density.reshape(len(tiles), -1, 3)
    for function, array in (("moments", lab), ("stains_of", density)):
        expected, found = (left[function](each) for each in (array, torch.from_numpy(array)))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-9)
    changed = torch.from_numpy(density) @ left["beside"](np.ones((8, 3, 3)), torch.ones(1))
    assert type(changed) is torch.Tensor


def test_values_are_those_of_stainx_but_for_its_own_conventions():
    for module in ("torch", "stainx"):
        pytest.importorskip(module)
    from benchmarks.stainx import rows

    means = {name: mean for name, _, mean, *_ in rows(64)}
    assert means["Reinhard"] < 0.05  # single precision
    assert means["histograms"] < 0.5  # the lowest and the highest level
    # tiles that are mostly brighter find other percentiles
    assert means["Macenko, light of 240, darker ones"] < 4 < means["Macenko"]


def _calculate(monkeypatch, tensors):
    """Has the stand-in's arrays calculate, and its module have the functions that are asked."""

    def unwrapped(value):
        return getattr(value, "array", value)

    def calculated(function):
        def by_cupy(*args, **kwargs):
            result = function(*map(unwrapped, args), **kwargs)
            return tensors.Tensor(result) if isinstance(result, cp.ndarray) else result

        return by_cupy

    operators = "getitem add sub mul rmul truediv pow matmul gt lt or len"
    for name in [f"__{operator}__" for operator in operators.split()] + [
        *("all", "mean", "reshape", "sum", "swapaxes")
    ]:
        of_cupy = getattr(cp.ndarray, name)
        monkeypatch.setattr(tensors.Tensor, name, calculated(of_cupy), raising=False)
    for name in ("arctan2", "asarray", "sort", "where"):
        monkeypatch.setattr(tensors, name, calculated(getattr(cp, name)), raising=False)
    monkeypatch.setattr(tensors.Tensor, "cpu", lambda self: self.array, raising=False)
    shape = property(lambda self: self.array.shape)
    monkeypatch.setattr(tensors.Tensor, "shape", shape, raising=False)


def _delegate(monkeypatch, library, operator):
    def calculated(self, other):
        result = getattr(self.array, operator)(getattr(other, "array", other))
        return library(result) if result.ndim else result

    monkeypatch.setattr(library, operator, calculated, raising=False)
