"""CuPy functions of histograms and correlation."""

__all__: list[str] = []
