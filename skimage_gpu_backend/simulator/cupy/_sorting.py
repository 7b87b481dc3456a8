"""CuPy functions of sorting and searching."""

__all__: list[str] = []
