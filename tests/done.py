"""What an earlier run of a long command has finished, in a file with a name a line."""

from pathlib import Path


class Done:
    """Names in a file, none without one.

    Parameters
    ----------
    file : str, path or None
        Read now; it need not be there yet.
    """

    def __init__(self, file):
        self._file = file and Path(file)
        there = self._file is not None and self._file.exists()
        self._names = set(self._file.read_text().splitlines()) if there else set()

    def __contains__(self, name):
        return name in self._names

    def add(self, name):
        """Note that `name` is finished."""
        if self._file is not None:
            with open(self._file, "a") as file:
                file.write(f"{name}\n")
