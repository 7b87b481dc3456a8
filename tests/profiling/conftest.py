"""Notebooks in a real kernel."""

from contextlib import contextmanager

import pytest


class Output(str):
    """Text that a cell put out.

    Attributes
    ----------
    failed : bool
        Whether a notebook that is run as a whole stops there.
    """

    failed = False


@pytest.fixture(scope="session")
def kernel():
    """Starts a kernel: ``with kernel(directory, VARIABLE="") as run: outputs = run("x = 1")``."""
    return _kernel


@contextmanager
def _kernel(directory, **environment):
    import nbclient  # here: the other tests of this folder run without it
    import nbformat

    notebook = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=300,
        resources={"metadata": {"path": str(directory)}},
    )

    def run(*cells):
        return [_execute(client, cell) for cell in cells]

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"SKIMAGE_BACKENDS_MIN_SIZE": "0", **environment}.items():
            patch.setenv(name, value)
        with client.setup_kernel():
            yield run


def _execute(client, source):
    import nbformat
    from nbclient.exceptions import CellExecutionError

    cell = nbformat.v4.new_code_cell(source)
    client.nb.cells.append(cell)
    try:
        client.execute_cell(cell, len(client.nb.cells) - 1)
        failed = False
    except CellExecutionError:
        failed = True
    output = Output("".join(map(_text, cell.outputs)))
    output.failed = failed
    return output


def _text(output):
    return (
        output.get("text")
        or output.get("data", {}).get("text/plain")
        or "\n".join(output.get("traceback", ()))
    )
