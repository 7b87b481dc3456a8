"""A notebook in a real kernel: selecting late, the magics, threads, coroutines."""

import pytest


@pytest.fixture(scope="module")
def outputs(kernel, tmp_path_factory):
    """Runs cells, all in one kernel, with a backend selected; what each of them put out."""
    with kernel(tmp_path_factory.mktemp("notebook")) as run:
        run(
            "import os\nfrom skimage.filters import gaussian, sobel\nfrom skimage import filters",
            "import numpy as np\nimage = np.random.default_rng(0).random((64, 80))",
        )

        def cells(*cells):
            return run("os.environ['SKIMAGE_BACKENDS'] = 'gpu'", *cells)[1:]

        yield cells


def row(output, first):
    """Cells of the row of a table that begins with `first`."""
    rows = ([cell.strip() for cell in line.split("│")[1:-1]] for line in output.splitlines())
    (found,) = (cells for cells in rows if cells and cells[0] == first)
    return found


@pytest.mark.thorough
def test_functions_that_were_imported_before_are_dispatched(outputs):
    _, before, enabled, disabled = outputs(
        "import skimage_gpu_backend, warnings\nskimage_gpu_backend.disable()\nkept = [gaussian]",
        "os.environ['SKIMAGE_BACKENDS_NOTIFY'] = 'all'\nkept[0](image);",
        "skimage_gpu_backend.enable()\nkept[0](image);",
        "skimage_gpu_backend.disable()\nos.environ.pop('SKIMAGE_BACKENDS_NOTIFY')\nkept[0](image);",
    )
    assert before == disabled == ""
    assert "'skimage.filters:gaussian' was dispatched to the 'gpu' backend" in enabled


def test_magics(outputs):
    loaded, _, profiled, silent, lines, failed, nothing, again, misused, wrong = outputs(
        "%load_ext skimage_gpu_backend",
        "where = f'Cell In[{len(In) - 1}], line 3'\n"
        "def segment(image):\n    return sobel(image) > 0.1",
        "%%skimage_gpu.profile\nedges = filters.sobel(image)\nedges.shape",
        "%%skimage_gpu.profile\nfilters.sobel(image);",
        "%%skimage_gpu.line_profile\nx = 1\nsmooth = gaussian(edges, 2)\nsegment(edges);\nwhere",
        "%%skimage_gpu.profile\nfilters.sobel(image)\n1 / 0",
        "%%skimage_gpu.profile\nx",
        "%reload_ext skimage_gpu_backend",
        "%%skimage_gpu.profile sobel(image)\nsobel(image)",
        "%%skimage_gpu.profile\nsobel(image) +* 2",
    )
    assert loaded == again == ""
    assert "(64, 80)" in profiled
    assert row(profiled, "filters.sobel")[1:3] == ["our kernel", "1"]
    assert row(silent, "filters.sobel")[2] == "1"
    assert "array(" not in silent
    _, device, *_, source = row(lines, "2")
    assert device.endswith("s")  # its time
    assert source == "smooth = gaussian(edges, 2)"
    place = lines.splitlines()[-1].strip("'")
    assert row(lines, place)[1] == "1"
    assert failed.failed
    assert failed.count("division by zero") == 1
    assert "filters.sobel" in failed
    assert "notebook.py" not in failed  # frames of ours
    assert "No function of scikit-image was called" in nothing
    assert misused.failed
    assert "in the lines below the magic" in misused
    assert wrong.failed
    assert "SyntaxError" in wrong


def test_threads_and_coroutines(outputs):
    *_, threads, awaited, lines, shown, failed, later = outputs(
        "%load_ext skimage_gpu_backend",
        "import asyncio, skimage_gpu_backend\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "images = [image + number for number in range(6)]\n"
        "async def edges(image):\n"
        "    await asyncio.sleep(0)\n"
        "    return await asyncio.to_thread(sobel, image)",
        "%%skimage_gpu.profile\n"
        "with ThreadPoolExecutor(3) as pool:\n"
        "    found = list(pool.map(sobel, images))\n"
        "os.environ['SKIMAGE_BACKENDS'] = ''\n"
        "assert all(np.allclose(a, sobel(b)) for a, b in zip(found, images))\n"
        "os.environ['SKIMAGE_BACKENDS'] = 'gpu'",
        "%%skimage_gpu.profile\n"
        "found = await asyncio.gather(*map(edges, images))\n"
        "sum(await edges(found[0])).shape",
        "%%skimage_gpu.line_profile\nawait asyncio.sleep(0)\nx = sobel(images[0])",
        "with skimage_gpu_backend.profile() as p:\n"
        "    await asyncio.gather(edges(images[0]), edges(images[1]))\n"
        "print(p)",
        "%%skimage_gpu.profile\nawait edges(images[0])\nawait edges('no image')",
        "%%skimage_gpu.profile\nlen(found)",
    )
    assert "6 of 12 calls ran on the device" in threads
    assert row(awaited, "filters.sobel")[1:3] == ["our kernel", "7"]
    assert "(80,)" in awaited
    assert row(lines, "2")[1].endswith("s")  # its time
    assert row(shown, "filters.sobel")[2] == "2"
    assert failed.failed
    assert "1 of 2 calls ran on the device" in failed
    assert "No function of scikit-image was called" in later
