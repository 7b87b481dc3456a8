"""`cupy_backends.cuda.libs`: libraries of CUDA."""
