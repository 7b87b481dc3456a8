"""NumPy as the array module of planners on the CPU.

Names that are not here are NumPy's.
"""

import numpy as np
from scipy import fft as _fft


class ArrayModule:
    """NumPy, with the names and the behaviour that planners expect of an array module."""

    fft = _fft

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
