"""An array library as JAX is one: arrays that nobody may change, an Array API namespace."""

import cupy as cp


class Namespace:
    """Where the library's functions are; the module of the type has none of them."""

    @staticmethod
    def from_dlpack(array):
        return Array(cp.from_dlpack(array))


class Array:
    def __init__(self, array):
        self.array = array

    def __array_namespace__(self):
        return Namespace

    @property
    def __cuda_array_interface__(self):
        interface = self.array.__cuda_array_interface__
        return interface | {"data": (interface["data"][0], True)}

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)
