"""The magics, in a real kernel."""

import nbclient
import nbformat
import pytest


@pytest.fixture
def outputs(monkeypatch, tmp_path):
    """Runs cells in a fresh kernel; the text that each of them put out."""

    def run(*cells):
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        monkeypatch.setenv("SKIMAGE_GPU_MIN_SIZE", "0")
        resources = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(
            notebook, kernel_name="python3", timeout=300, resources=resources, allow_errors=True
        ).execute()
        return ["".join(map(_text, cell.outputs)) for cell in notebook.cells]

    return run


def _text(output):
    return output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue")


def test_magics(outputs):
    before, loaded, profiled, lines, failed, nothing = outputs(
        "import os\nfrom skimage import filters, data\nimage = data.camera()",
        "%load_ext skimage_gpu_backend\nos.environ['SKIMAGE_BACKENDS'] = 'gpu'",
        "%%skimage_gpu.profile\nedges = filters.sobel(image)\nedges.shape",
        "%%skimage_gpu.line_profile\nx = 1\nsmooth = filters.gaussian(edges, 2)",
        "%%skimage_gpu.profile\nfilters.sobel(image)\n1 / 0",
        "%%skimage_gpu.profile\nx",
    )
    assert before == loaded == ""
    assert "(512, 512)" in profiled
    assert "filters.sobel" in profiled
    assert "our kernel" in profiled
    table = [line.split("│") for line in lines.splitlines() if "smooth = " in line]
    assert table[0][1].strip() == "2"
    assert "s" in table[0][2]  # its time on the device
    assert "ZeroDivisionError" in failed or "division by zero" in failed
    assert "filters.sobel" in failed
    assert "No function of scikit-image was called" in nothing
