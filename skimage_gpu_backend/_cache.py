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


def kept():
    """Label, bytes and path of each folder, those of kernels compiled ahead of time too."""
    for label, folder in folders().items():
        yield label, nbytes(folder), folder
    for folder in cubins.archive_folders():
        if folder != cubins.folder() and folder.is_dir():
            yield f"compiled ahead of time ({folder.name})", nbytes(folder), folder


def main(clear):
    """Print folders and sizes, or delete what is in them."""
    rows = list(kept())
    width = max(len(label) for label, *_ in rows)
    for label, size, folder in rows:
        print(f"{label:{width}}  {_words.size(size):>10}  {folder}")
    if clear:
        for folder in folders().values():
            delete(folder)
        print("All was deleted but what was compiled ahead of time into folders of its own.")
