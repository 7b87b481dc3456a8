"""`cupy_backends.cuda`."""
