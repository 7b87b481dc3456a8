"""An array library as Numba is one: the CUDA array interface, and nothing of DLPack."""
