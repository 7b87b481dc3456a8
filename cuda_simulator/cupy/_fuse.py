"""`fuse`: on a GPU a function's operations become one kernel; here it is called as it is."""

import functools


class Fusion:
    """A fused function: calling it calls the function."""

    def __init__(self, func, name=None):
        self.func = func
        self.name = name or func.__name__
        functools.update_wrapper(self, func)

    def __repr__(self):
        return f"<Fusion {self.name!r}>"

    def __call__(self, *args, **kwargs):
        return self.func(*args, **kwargs)

    def clear_cache(self):
        """Forget compiled kernels; there are none."""


def fuse(*args, **kwargs):
    """Decorator for a function of elementwise operations.

    Parameters
    ----------
    kernel_name : str, optional
        Name of the kernel; the function's by default.
    """
    if len(args) == 1 and not kwargs and callable(args[0]):
        return Fusion(args[0])
    return lambda function: Fusion(function, *args, **kwargs_of(**kwargs))


def kwargs_of(kernel_name=None):
    """The keyword that `fuse` takes, under `Fusion`'s name for it."""
    return {} if kernel_name is None else {"name": kernel_name}
