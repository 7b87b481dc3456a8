"""`cupy.cuda.device`: the current device."""

from . import runtime

_ATTRIBUTES = {
    "ComputeCapabilityMajor": "major",
    "ComputeCapabilityMinor": "minor",
    "L2CacheSize": "l2CacheSize",
    "MaxRegistersPerBlock": "regsPerBlock",
    "MaxSharedMemoryPerBlock": "sharedMemPerBlock",
    "MaxSharedMemoryPerBlockOptin": "sharedMemPerBlockOptin",
    "MaxSharedMemoryPerMultiprocessor": "sharedMemPerMultiprocessor",
    "MaxThreadsPerBlock": "maxThreadsPerBlock",
    "MaxThreadsPerMultiProcessor": "maxThreadsPerMultiProcessor",
    "MultiProcessorCount": "multiProcessorCount",
    "WarpSize": "warpSize",
}


class Device:
    """A device; in a ``with`` block it is the current one."""

    def __init__(self, device=None):
        self.id = runtime.getDevice() if device is None else int(device)
        self._before = []

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __enter__(self):
        self._before.append(runtime.getDevice())
        runtime.setDevice(self.id)
        return self

    def __exit__(self, *error):
        runtime.setDevice(self._before.pop())

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def use(self):
        """Make this the current device."""
        runtime.setDevice(self.id)

    def synchronize(self):
        """Wait for the device."""
        runtime.deviceSynchronize()

    @property
    def attributes(self):
        """Properties under the names that CuPy gives them."""
        properties = runtime.getDeviceProperties(self.id)
        lengths = zip("XYZ", properties["maxThreadsDim"], properties["maxGridSize"], strict=True)
        values = {name: properties[key] for name, key in _ATTRIBUTES.items()}
        for axis, block, grid in lengths:
            values |= {f"MaxBlockDim{axis}": block, f"MaxGridDim{axis}": grid}
        return values

    @property
    def pci_bus_id(self):
        """A name for the device that no other has."""
        return f"0000:{self.id:02X}:00.0"

    @property
    def compute_capability(self):
        """Major and minor number, as ``"90"``."""
        properties = runtime.getDeviceProperties(self.id)
        return f"{properties['major']}{properties['minor']}"

    @property
    def mem_info(self):
        """Free and total bytes."""
        return runtime.memGetInfo()


def get_device_id():
    """Index of the current device."""
    return runtime.getDevice()


def get_compute_capability():
    """Major and minor number of the current device, as ``"90"``."""
    return Device().compute_capability
