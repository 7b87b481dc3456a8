"""Archives of compiled kernels, one for each kind of GPU; skimage_gpu_backend looks into them."""
