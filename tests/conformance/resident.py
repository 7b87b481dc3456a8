"""pytest plugin: results of any size stay on the device, since these tests' images are small."""

from skimage_gpu_backend.availability import choose_device


def pytest_configure(config):
    choose_device()
    from skimage_gpu_backend.adapt import managed

    managed.LEAST = 1
