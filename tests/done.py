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


class Folder(Done):
    """The same for names that take long: each may have a file for what it has finished so far.

    Parameters
    ----------
    folder : str, path or None
        Made if it is not there yet.
    """

    def __init__(self, folder):
        self._folder = folder and Path(folder)
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)
        super().__init__(self._folder and self._folder / "done.txt")

    def file(self, name):
        """Path of a name's file; None without a folder."""
        return self._folder and self._folder / f"{name}.jsonl"
