"""Child processes of a notebook: what was selected in it reaches them, its profile does not."""

import pytest


@pytest.mark.thorough
def test_child_processes(kernel, python):
    python.script(
        "import warnings\n"
        "from skimage.filters import sobel\n"
        "def told(image):\n"
        "    with warnings.catch_warnings(record=True) as told:\n"
        "        warnings.simplefilter('always')\n"
        "        sobel(image)\n"
        "    return str(told[0].message)\n",
        "work.py",
    )
    with kernel(python.directory, PYTHONPATH=":".join(python.path)) as run:
        *_, used, forked, spawned, loky, watched = run(
            "import multiprocessing, joblib, numpy as np\n"
            "from concurrent.futures import ProcessPoolExecutor\n"
            "import work",
            "import os, skimage_gpu_backend\n"
            "skimage_gpu_backend.enable()\n"
            "os.environ |= {'SKIMAGE_BACKENDS': 'gpu', 'SKIMAGE_BACKENDS_NOTIFY': 'all'}\n"
            "image = np.random.default_rng(0).random((400, 400))",  # a memory map for loky
            "work.told(image)",
            "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
            "    print(pool.map(work.told, [image]))",
            "with skimage_gpu_backend.profile() as p, "
            "ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n"
            "    print(*pool.map(work.told, [image]))",
            "def told(image):\n"  # of the notebook itself: loky pickles it by value
            "    return f'{type(image).__name__}: {work.told(image)}'\n"
            "with joblib.parallel_config('loky', n_jobs=2):\n"
            "    print(joblib.Parallel()([joblib.delayed(told)(image)]))",
            "print(p)",
        )
    dispatched = "was dispatched to the 'gpu' backend"
    assert dispatched in used
    assert "this process was forked after the GPU had been used" in forked
    assert dispatched in spawned
    assert "memmap: " in loky
    assert dispatched in loky
    assert "No function of scikit-image was called in this process" in watched


@pytest.mark.thorough
def test_a_variable_of_the_server_selects_for_its_notebooks(kernel, python):
    variables = {"SKIMAGE_BACKENDS": "gpu", "SKIMAGE_BACKENDS_NOTIFY": "all"}
    with kernel(python.directory, PYTHONPATH=":".join(python.path), **variables) as run:
        _, told = run(
            "import numpy as np\nfrom skimage.filters import sobel", "sobel(np.ones((64, 80)));"
        )
    assert "'skimage.filters:sobel' was dispatched to the 'gpu' backend" in told
