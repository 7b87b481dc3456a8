"""Folders of files that can be made again: shared by processes, bounded, never a reason to fail."""

import atexit
import contextlib
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

_log = logging.getLogger(__name__)
_EVERY = 64  # stored files between two looks at the folder's size
_DAY = 86400

_instead = {}  # folder that cannot be used -> temporary one


class Kept:
    """Files in a folder, the least recently used of which go when it is full.

    Files appear whole or not at all, so that processes may share the folder. Where it cannot be
    used there is a temporary one until the process ends, which the log tells once.

    Parameters
    ----------
    folder : Path
    limit : int
        Bytes.
    pattern : str, optional
        Of the files that may go.
    """

    def __init__(self, folder: Path, limit: int, pattern: str = "*"):
        self.folder = _usable(folder)
        self.limit = limit
        self._pattern = pattern
        self._until_look = 0

    def store(self, name: str, data: bytes):
        """Have `data` under a name, as far as the disk has room."""
        with contextlib.suppress(OSError):
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, scratch = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                os.replace(scratch, path)
            except BaseException:
                Path(scratch).unlink(missing_ok=True)
                raise
        self.stored()

    def load(self, name: str) -> bytes | None:
        """What was stored under a name, or None."""
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return None
        used(self.folder / name)
        return data

    def drop(self, name: str):
        """Forget a file."""
        with contextlib.suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

    def stored(self):
        """Look at times whether the folder is full."""
        self._until_look -= 1
        if self._until_look < 0:
            self._until_look = _EVERY
            self._prune()

    def _prune(self):
        files = sorted(_files(self.folder, self._pattern), key=lambda file: file[1].st_mtime)
        total = sum(status.st_size for _, status in files)
        if total <= self.limit:
            return
        for path, status in files:
            with contextlib.suppress(OSError):
                path.unlink()
            total -= status.st_size
            if total <= self.limit * 3 // 4:
                break


def used(path: Path):
    """Note that a file is in use; not again within a day."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)


def nbytes(folder: Path) -> int:
    """Bytes of the files in a folder and the folders in it."""
    return sum(status.st_size for _, status in _files(folder, "**/*"))


def clear(folder: Path):
    """Delete a folder with what is in it."""
    shutil.rmtree(folder, ignore_errors=True)


def _files(folder, pattern):
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):  # another process may have removed it
            if path.is_file():
                yield path, path.stat()


def _usable(folder):
    if folder in _instead:
        return _instead[folder]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        scratch = Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))
        atexit.register(_remove, scratch, os.getpid())
        _log.warning("%s cannot be used (%s); until the end it is %s", folder, error, scratch)
        return _instead.setdefault(folder, scratch)


def _remove(folder, pid):
    if os.getpid() == pid:  # a forked child leaves it to its parent
        clear(folder)
