"""`python -m skimage_gpu_backend cache`: what is kept on disk, where, and how much it is."""

import cuda_simulator
from cuda_simulator.kept import clear as delete
from cuda_simulator.kept import nbytes

from . import _words
from .device import cubins


def folders():
    """What is kept -> its folder; all of it is made or fetched again where it is missing."""
    ours = cubins.folder()
    others = sorted(ours.parent.iterdir()) if ours.parent.is_dir() else ()
    return (
        {"kernels": ours}
        | {path.name: path for path in others if path.is_dir() and path != ours}
        | {"the simulator's kernels": cuda_simulator.cache_folder()}
    )


def main(clear):
    """Print folders and sizes, or delete what is in them."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_edge=False)
    table.add_column("kept")
    table.add_column("size", justify="right")
    table.add_column("folder", overflow="fold")
    for label, folder in folders().items():
        size = _words.size(nbytes(folder))
        if clear:
            delete(folder)
        table.add_row(label, size, str(folder))
    for folder in cubins.archive_folders():
        if folder != cubins.folder() and folder.is_dir():
            table.add_row("compiled ahead of time", _words.size(nbytes(folder)), str(folder))
    Console().print(table)
    if clear:
        print("All was deleted but what was compiled ahead of time into folders of its own.")
