"""The CPU as a device: the same kernels, compiled for the host, on NumPy arrays without a copy."""
