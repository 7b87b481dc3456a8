"""CuPy functions of shapes, joins and splits."""

__all__: list[str] = []
