"""CuPy functions of padding."""

__all__: list[str] = []
