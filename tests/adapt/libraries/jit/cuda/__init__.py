import cupy as cp


class DeviceNDArray:
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def as_cuda_array(obj):
    return DeviceNDArray(cp.asarray(obj))
