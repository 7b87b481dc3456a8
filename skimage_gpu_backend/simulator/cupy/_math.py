"""CuPy functions of arithmetic beyond ufuncs."""

__all__: list[str] = []
