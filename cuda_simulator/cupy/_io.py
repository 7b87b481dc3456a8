"""Files and text: arrays go through the host."""

import numpy as np

from ._creation import array, asnumpy

__all__ = [
    "array2string",
    "array_repr",
    "array_str",
    "format_float_positional",
    "format_float_scientific",
    "load",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
]


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """How NumPy shows the array."""
    return np.array_repr(asnumpy(arr), max_line_width, precision, suppress_small)


def array_str(arr, max_line_width=None, precision=None, suppress_small=None):
    """How NumPy prints the array."""
    return np.array_str(asnumpy(arr), max_line_width, precision, suppress_small)


def array2string(a, *args, **kwargs):
    """As `numpy.array2string`."""
    return np.array2string(asnumpy(a), *args, **kwargs)


def format_float_positional(x, *args, **kwargs):
    """As `numpy.format_float_positional`."""
    return np.format_float_positional(asnumpy(x), *args, **kwargs)


def format_float_scientific(x, *args, **kwargs):
    """As `numpy.format_float_scientific`."""
    return np.format_float_scientific(asnumpy(x), *args, **kwargs)


class NpzFile:
    """Arrays of an ``.npz`` file, each copied to the device when it is asked for."""

    def __init__(self, npz_file):
        self.npz_file = npz_file

    def __enter__(self):
        self.npz_file.__enter__()
        return self

    def __exit__(self, typ, val, traceback):
        self.npz_file.__exit__(typ, val, traceback)

    def __getitem__(self, key):
        return array(self.npz_file[key])

    def close(self):
        """Close the file."""
        self.npz_file.close()


def load(file, mmap_mode=None, allow_pickle=None):
    """A device array of an ``.npy`` file, or what an ``.npz`` file holds."""
    loaded = np.load(file, mmap_mode, bool(allow_pickle))
    if isinstance(loaded, np.ndarray):
        return array(loaded)
    return NpzFile(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else loaded


def save(file, arr, allow_pickle=None):
    """Write an array to an ``.npy`` file."""
    np.save(file, asnumpy(arr), allow_pickle is None or allow_pickle)


def savez(file, *args, **kwds):
    """Write arrays to an ``.npz`` file."""
    np.savez(file, *map(asnumpy, args), **{key: asnumpy(value) for key, value in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Write arrays to a compressed ``.npz`` file."""
    named = {key: asnumpy(value) for key, value in kwds.items()}
    np.savez_compressed(file, *map(asnumpy, args), **named)


def savetxt(fname, X, *args, **kwargs):
    """Write an array as text."""
    np.savetxt(fname, asnumpy(X), *args, **kwargs)
