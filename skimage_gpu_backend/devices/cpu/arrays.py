"""NumPy as the array module of planners on the CPU.

Names that are not here are NumPy's.
"""

import functools

import numpy as np
import scipy.fft

from . import threads

_WORTH_THREADS = 1 << 17  # elements of a transform; starting threads takes some 20 us


class _Transforms:
    """SciPy's FFTs, on the threads that a call may use."""

    def __getattr__(self, name):
        transform = getattr(scipy.fft, name)

        @functools.wraps(transform)
        def on_threads(array, *args, **kwargs):
            workers = threads.count() if array.size >= _WORTH_THREADS else 1
            return transform(array, *args, workers=workers, **kwargs)

        self.__dict__[name] = on_threads
        return on_threads


class ArrayModule:
    """NumPy, with the names and the behaviour that planners expect of an array module."""

    fft = _Transforms()

    @staticmethod
    def asnumpy(array):
        """The array, which a NumPy array is."""
        return np.asarray(array)

    @staticmethod
    def ascontiguousarray(array, dtype=None):
        """The array itself where it is in C order and of that dtype, otherwise a copy that is.

        An array without axes keeps none, other than with NumPy.
        """
        array = np.asarray(array, dtype)
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)

    @staticmethod
    def asarray(array, dtype=None):
        """A new array, as a device array of one on the host is: planners keep theirs."""
        return np.array(array, dtype)

    def __getattr__(self, name):
        value = self.__dict__[name] = getattr(np, name)
        return value


array_module = ArrayModule()
