"""CuPy, imported when something of it is first used.

A room (see ``functions/``) decides about a call and runs it. Deciding must not import CuPy, so
rooms and what they are built of write ``from ..device.lazy import cp`` where they would write
``lazy import cupy as cp`` in Python 3.15.
"""


class _CuPy:
    def __getattr__(self, name):
        import cupy

        value = self.__dict__[name] = getattr(cupy, name)  # the next time an ordinary attribute
        return value


cp = _CuPy()
