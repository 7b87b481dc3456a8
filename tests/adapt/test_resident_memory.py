"""Results that stay on the device: threads, memory, processes, and what turns them on."""

import gc
import os
import threading

import cupy as cp
import numpy as np
import pytest
import skimage as ski
from skimage.util._backends import DispatchNotification

from skimage_gpu_backend import free_memory, memory, use_backends
from skimage_gpu_backend.adapt import managed
from skimage_gpu_backend.adapt.resident import block_of

pytestmark = pytest.mark.usefixtures("enabled", "everything_taken")


def test_threads_use_one_array(image, result):
    expected = ski.filters.sobel(np.array(result))
    found = []

    def run():
        with use_backends("gpu", output="resident"):
            for _ in range(5):
                found.append(ski.filters.sobel(result))
                found.append(found[-1] + 0)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for array in found:
        np.testing.assert_allclose(array, expected, atol=1e-10)


def test_memory_is_used_again_and_given_back(image):
    with use_backends("gpu", output="resident"):
        first = ski.filters.sobel(image)
        place = first.ctypes.data
        view = first[5:, 5:]
        del first
        assert ski.filters.sobel(image).ctypes.data != place, "a view holds it"
        del view
        assert ski.filters.sobel(image).ctypes.data == place
    gc.collect()
    before = memory()["devices"][0]["managed"]
    free_memory()
    assert memory()["devices"][0]["managed"] < before
    assert not managed._kept


def test_memory_that_the_host_has_is_not_used_again(image):
    """What lies in it would cross the bus for nothing."""
    with use_backends("gpu", output="resident"):
        found = ski.filters.sobel(image)
        block = block_of(found)
        found.sum()
        key = block._key
        del found, block
    assert not managed._kept.get(key)


def test_memory_that_went_back_to_the_device_is_used_again(counting, image):
    with counting(), use_backends("gpu", output="resident"):
        found = ski.filters.sobel(image)
        key = block_of(found)._key
        found.sum()
        ski.filters.gaussian(found, 1)
        managed.free_kept()
        del found
    assert len(managed._kept[key]) == 1


def test_another_device_takes_it_where_it_is(monkeypatch, counting, result):
    monkeypatch.setenv("CUDA_SIMULATOR_DEVICES", "2")
    with counting() as c, cp.cuda.Device(1), use_backends("gpu", output="resident"):
        found = ski.filters.sobel(result)
    assert (c.to_device, c.to_host) == (0, 0)
    assert (block_of(result).device, block_of(found).device) == (0, 1)
    np.testing.assert_allclose(found, ski.filters.sobel(np.array(result)), atol=1e-10)


def test_results_come_to_the_host_where_they_do_not_fit(python):
    done = python(
        "-c",
        "import numpy as np, skimage as ski\n"
        "from skimage_gpu_backend.adapt.resident import block_of\n"
        "image = np.random.default_rng(0).random((256, 256))\n"
        "kept = [ski.filters.sobel(image) for _ in range(12)]\n"
        "print([block_of(a) is not None for a in kept])\n"
        "print(all((a == kept[0]).all() for a in kept))\n",
        SKIMAGE_GPU_SIMULATOR="1",
        CUDA_SIMULATOR_MEMORY=str(4 << 20),
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
    )
    stayed, equal = done.stdout.splitlines()
    assert stayed.startswith("[True, True") and stayed.endswith("False]")
    assert equal == "True"
    assert done.stderr.count("DispatchNotification: ") == 1
    assert "Results are copied to the host: they do not fit into the device's mem" in done.stderr


def test_where_the_device_cannot_results_are_ordinary_and_the_user_is_told_once(
    monkeypatch, image, expected
):
    monkeypatch.setattr(managed, "why_not", lambda device: "device 0 cannot")
    with use_backends("gpu", output="resident"):
        with pytest.warns(DispatchNotification, match="device 0 cannot"):
            found = ski.filters.gaussian(image, 2)
        found = ski.filters.gaussian(image, 2)  # a second warning would be an error
    assert block_of(found) is None
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_the_environment_selects_it(monkeypatch, image):
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "1")
    assert block_of(ski.filters.sobel(image)) is None, "no backend is selected"
    with use_backends("gpu"):
        assert block_of(ski.filters.sobel(image))
    with use_backends("gpu", output="cupy"):
        assert type(ski.filters.sobel(image)) is cp.ndarray
    monkeypatch.setenv("SKIMAGE_BACKENDS", "gpu")
    assert block_of(ski.filters.sobel(image))
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "0")
    assert block_of(ski.filters.sobel(image)) is None
    monkeypatch.setenv("SKIMAGE_GPU_RESIDENT", "please")
    with pytest.warns(UserWarning, match="SKIMAGE_GPU_RESIDENT is True or False, not 'please'"):
        assert block_of(ski.filters.sobel(image)) is None


def test_an_unknown_output_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match="None, 'cupy' or 'resident', not 'numpy'"):
        use_backends("gpu", output="numpy")


def test_pictures_are_drawn(result, expected):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    shown = axes.imshow(result)
    figure.canvas.draw()
    np.testing.assert_allclose(shown.get_array(), expected, atol=1e-10)
    pyplot.close(figure)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_the_values_and_the_parent_keeps_its_own(result, expected):
    view = result[10:, ::2]
    result.flags.writeable = True
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        right = np.allclose(result, expected, atol=1e-10) and (view == result[10:, ::2]).all()
        result[...] = -1
        alone = block_of(result) is None and (view == -1).all()
        del result, view
        gc.collect()
        os.write(write, b"right" if right and alone else b"wrong")
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert os.read(read, 9) == b"right"
    assert block_of(result)
    np.testing.assert_allclose(result, expected, atol=1e-10)
    with use_backends("gpu", output="resident"):
        assert block_of(ski.filters.sobel(result))


@pytest.mark.thorough
def test_processes_of_multiprocessing_get_and_give_it(python):
    script = python.script(
        "import multiprocessing, sys, numpy as np, skimage as ski\n"
        "def work(array):\n"
        "    return array.sum(), ski.filters.sobel(array)\n"
        "if __name__ == '__main__':\n"
        "    image = np.random.default_rng(0).random((200, 200))\n"
        "    smooth = ski.filters.gaussian(image, 1)\n"
        "    for method in ('spawn', 'fork'):\n"
        "        with multiprocessing.get_context(method).Pool(2) as pool:\n"
        "            total, edges = pool.map(work, [smooth, smooth])[1]\n"
        "        print(np.isclose(total, smooth.sum()))\n"
        "        print(np.allclose(edges, ski.filters.sobel(smooth)))\n"
    )
    done = python(
        script,
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
    )
    assert done.stdout.split() == ["True"] * 4
    assert "Error" not in done.stderr and "Exception" not in done.stderr


def test_a_program_ends_quietly_while_it_holds_arrays(python):
    done = python(
        "-c",
        "import numpy as np, skimage as ski\n"
        "kept = ski.filters.sobel(np.ones((300, 300)))\n"
        "kept.sum()\n"
        "again = ski.filters.sobel(kept)\n",
        SKIMAGE_GPU_SIMULATOR="1",
        SKIMAGE_BACKENDS="gpu",
        SKIMAGE_GPU_RESIDENT="1",
        SKIMAGE_BACKENDS_MIN_SIZE="0",
    )
    told = done.stderr.splitlines()
    assert all(line.startswith("skimage-gpu-backend: compiling") for line in told)
