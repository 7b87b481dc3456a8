"""Why a call does not run on the device, as exceptions.

An error that is none of these is the user's, or a mistake of ours.
"""


class Everywhere(str):
    """A reason that holds for every function that it concerns: the user is told once."""


class Idle(str):
    """A reason with which a call is right where it is: nobody is told, but by a profile."""


class Empty(Idle):
    """A reason for which a call on an empty array is declined: no copy costs anything either."""


class Lazy(str):
    """A reason that stands until it is known whether the call can wait: of Dask arrays."""


class DeviceTrouble(Exception):
    """The device, its driver, CuPy or a compiler failed; the user's arguments are fine.

    Attributes
    ----------
    reason : str
        In words that a user understands.
    key : str
        The reason without the values of this call: what repeats is told once.
    """

    with_values = None  # the reason with those of the call, where that is known

    @property
    def reason(self):
        return self.with_values or self.key

    @property
    def key(self):
        return self.args[0]


class Declined(DeviceTrouble):
    """The GPU is not for this call: known from its arguments, or seen in its data."""


class Invalid(Declined):
    """scikit-image itself refuses these arguments, and is to say so in its own words."""


class MixedArrays(TypeError):
    """Arrays of several kinds, or of several devices, in one call: the user is to choose."""


class KernelCompileError(RuntimeError):
    """The CUDA compiler refused a kernel; names file, line and specialization."""
