"""CuPy, imported when something of it is first used.

Deciding about a call must not import CuPy, so the modules that launch on a GPU import `cp` from
here, where ``lazy import cupy as cp`` will do in Python 3.15. Planners and primitives import `xp`
from `devices` instead.
"""


class _CuPy:
    def __getattr__(self, name):
        import cupy

        value = self.__dict__[name] = getattr(cupy, name)  # the next time an ordinary attribute
        return value


cp = _CuPy()
