"""Of CuPy's lower layer, NVRTC's binding."""
