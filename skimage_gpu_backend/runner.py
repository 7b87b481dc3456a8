"""`python -m skimage_gpu_backend run`: any program with the backend on."""

import runpy
import sys
from pathlib import Path

from .dispatch.startup import start_selected


def run(arguments, *, module=False):
    """Run a script or a module as ``__main__``, with scikit-image on the GPU backend.

    A selection that the environment already makes is kept, else ``gpu`` is selected, for
    child processes too.

    Parameters
    ----------
    arguments : list of str
        Path of the script, or name of the module, and its own arguments.
    module : bool, optional
        Whether the program is given as a module, as by ``python -m``.
    """
    start_selected()
    program = arguments[0]
    sys.argv[:] = arguments
    if module:
        # Python put the working directory first for our own `-m`, as it would for theirs
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    if not sys.flags.safe_path and Path(program).is_file():
        sys.path[0] = str(Path(program).resolve().parent)
    runpy.run_path(program, run_name="__main__")
