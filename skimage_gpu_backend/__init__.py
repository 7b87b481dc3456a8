"""Run unchanged scikit-image programs on an NVIDIA GPU."""
