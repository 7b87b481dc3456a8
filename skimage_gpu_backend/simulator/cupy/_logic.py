"""CuPy functions of comparisons and truth."""

__all__: list[str] = []
