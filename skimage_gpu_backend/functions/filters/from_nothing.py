"""skimage.filters: arrays that are made from a few numbers, by scikit-image itself."""

from ...primitives.of_cupy import made_on_host

gabor_kernel = made_on_host("skimage.filters:gabor_kernel")
window = made_on_host("skimage.filters:window")
