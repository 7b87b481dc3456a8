"""PyTorch, JAX and Numba themselves, where they are installed; on the CPU, all they have here.

Their arrays lie on the host, so no data is shared with a device. What shows is that their types
are known, that each library gives and takes what the package asks of it, and that a CPU tensor is
left to scikit-image.
"""

import numpy as np
import pytest
from skimage import filters

from skimage_gpu_backend import use_backends
from skimage_gpu_backend.adapt import kinds

IMAGE = np.random.default_rng(0).random((24, 31)).astype(np.float32)
DTYPES = ["bool", "uint8", "uint16", "uint32", "int8", "int16", "int32", "float16", "float32"]


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def jnp(monkeypatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    return pytest.importorskip("jax.numpy")


def known(array):
    """Kind of the array's type, which is not the kind of an array on the CPU."""
    assert kinds.kind_of(array) is None
    kind = kinds._KINDS[type(array)]
    assert isinstance(kind, kinds.Foreign)
    return kind


def test_results_become_tensors(torch):
    for image in (torch.from_numpy(IMAGE), torch.nn.Parameter(torch.from_numpy(IMAGE.copy()))):
        made = known(image).maker(image)
        for dtype in [*DTYPES, "uint64", "int64", "float64"]:
            result = made(IMAGE.astype(dtype))
            assert type(result) is torch.Tensor
            assert str(result.dtype) == f"torch.{dtype}"


def test_results_become_jax_arrays(jnp):
    image = jnp.asarray(IMAGE)
    made = known(image).maker(image)
    for dtype in DTYPES:
        result = made(IMAGE.astype(dtype))
        assert type(result) is type(image)
        assert result.dtype == dtype
    # JAX has no 64 bits unless it is told to have them
    assert made(IMAGE.astype(float)).dtype == jnp.asarray(IMAGE.astype(float)).dtype


def test_numbas_arrays_are_known_by_the_interface():
    cuda = pytest.importorskip("numba.cuda")
    devicearray = pytest.importorskip("numba.cuda.cudadrv.devicearray")
    kind = kinds._kind_of_type(devicearray.DeviceNDArray)
    assert isinstance(kind, kinds.Foreign)
    assert kind.maker(None) is cuda.as_cuda_array


def test_what_pytorch_does_not_share_it_refuses(torch):
    with pytest.raises(BufferError, match="require gradient"):
        torch.ones(3, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError, match="layout"):
        torch.eye(3).to_sparse().__dlpack__()
    assert kinds.kind_of(torch.empty(3, device="meta")) is None


def test_arrays_that_jax_traces_are_left_to_it(jnp):
    jax = pytest.importorskip("jax")
    seen = []
    jax.jit(lambda x: seen.append(kinds.kind_of(x)) or x)(jnp.asarray(IMAGE))
    assert seen == [None]


@pytest.mark.parametrize("library", ["torch", "jnp"])
def test_arrays_on_the_cpu_are_left_to_scikit_image(library, request, gpu, enabled):
    library = request.getfixturevalue(library)
    image = library.asarray(IMAGE)
    assert gpu.declined(filters.gaussian, image).endswith(
        "that is on no CUDA device, which kernels do not take; give numpy.asarray(image)"
    )
    expected = filters.gaussian(image, 2)
    with use_backends("gpu"), pytest.warns(match="on no CUDA device"):
        result = filters.gaussian(image, 2)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)
