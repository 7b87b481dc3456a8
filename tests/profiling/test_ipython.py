"""IPython in a terminal: its shell, and its scripts."""

import pytest

SHELL = """
from IPython.terminal.interactiveshell import TerminalInteractiveShell

shell = TerminalInteractiveShell.instance(colors="NoColor")
for cell in (
    "%load_ext skimage_gpu_backend",
    "import asyncio, numpy as np\\nfrom skimage.filters import sobel\\nimage = np.ones((64, 80))",
    "%%skimage_gpu.profile\\nfound = sobel(image)\\nfound.shape",
    "%%skimage_gpu.profile\\n(await asyncio.gather(asyncio.to_thread(sobel, image)))[0].shape",
    "%%skimage_gpu.line_profile\\nx = 1\\nfound = sobel(image)",
    "%%skimage_gpu.profile\\nx = 1\\nsobel(image, mode='no such')",
    "%autoawait off",
    "%%skimage_gpu.profile\\nawait asyncio.sleep(0)",
    "%%skimage_gpu.profile\\nsobel(image);",
):
    print("=====")
    print(shell.run_cell(cell, store_history=True).success)
"""
SCRIPT = """
%load_ext skimage_gpu_backend
import numpy as np
from skimage.filters import sobel
get_ipython().run_cell_magic("skimage_gpu.profile", "", "sobel(np.ones((64, 80)));")
print("goes on")
get_ipython().run_cell_magic("skimage_gpu.profile", "", "raise ValueError('bad image')")
print("must not come here")
"""
DEVICE = {
    "SKIMAGE_BACKENDS": "gpu",
    "SKIMAGE_BACKENDS_MIN_SIZE": "0",
    "SKIMAGE_GPU_SIMULATOR": "1",
    "IPYTHONDIR": ".",
}


def test_magics_in_a_terminal(python):
    done = python(python.script(SHELL), **DEVICE)
    cells = done.stdout.split("=====\n")[1:]
    *_, plain, awaited, lines, failed, _, not_awaited, last = cells
    for cell in (plain, awaited):
        assert "1 of 1 calls ran on the device" in cell
        assert "(64, 80)" in cell
    assert [cell.split()[-1] == "True" for cell in cells] == [True] * 5 + [False, True, False, True]
    (line,) = (line for line in lines.splitlines() if "found =" in line)
    assert line.split("│")[1].strip() == "2"
    assert "sobel(image, mode=" in failed
    assert "Cell In[6], line 2" in failed
    assert "boundary mode not supported" in failed
    assert "_bootstrap" not in failed  # frames between the user's line and scikit-image
    assert "'await' outside function" in not_awaited
    assert "1 of 1 calls" in last


@pytest.mark.thorough
def test_a_script_of_ipython(python):
    done = python(
        "-m", "IPython", "--no-banner", python.script(SCRIPT, "x.ipy"), check=False, **DEVICE
    )
    assert "1 of 1 calls ran on the device" in done.stdout
    assert "goes on" in done.stdout
    assert "bad image" in done.stdout + done.stderr
    assert "must not come here" not in done.stdout.splitlines()
    assert done.returncode == 1
