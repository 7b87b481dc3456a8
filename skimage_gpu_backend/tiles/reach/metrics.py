"""Reach of skimage.metrics: sums over two images."""

from . import Sums


def mean_squared_error(image0, image1):
    return Sums


def normalized_root_mse(image_true, image_test, *, normalization="euclidean"):
    return Sums


def peak_signal_noise_ratio(image_true, image_test, *, data_range=None):
    return Sums
