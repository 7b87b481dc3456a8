"""The simulator's own tests need the stand-in: on a GPU machine they run in one subprocess.

The probes run beside it, too: they are of CuPy.
"""

import pytest

import cuda_simulator


def pytest_collection_modifyitems(items):
    if cuda_simulator.active():
        return
    skip = pytest.mark.skip(reason="runs in the subprocess of test_on_a_machine_with_a_gpu.py")
    for item in items:
        if "tests/simulator/" in item.path.as_posix() and item.path.name not in (
            "test_on_a_machine_with_a_gpu.py",
            "test_probes.py",
        ):
            item.add_marker(skip)


@pytest.fixture(params=["fast", "strict"])
def mode(request, monkeypatch):
    """Both ways of running; kernels are compiled for the one that is set when they run."""
    monkeypatch.setenv("CUDA_SIMULATOR_MODE", request.param)
    return request.param


@pytest.fixture
def strict(monkeypatch):
    """The real block size."""
    monkeypatch.setenv("CUDA_SIMULATOR_MODE", "strict")


@pytest.fixture
def kernel():
    """Compiles one kernel, correct for any block size: ``kernel(code, "name<float>")``."""
    import cupy as cp

    def compiled(code, expression):
        code = f'#define CUDA_SIMULATOR_ANY_BLOCK_SIZE\n#line 1 "kernel.cu"\n{code}'
        module = cp.RawModule(code=code, options=("-std=c++17",), name_expressions=(expression,))
        return module.get_function(expression)

    return compiled
