"""`cupy.cuda.device`: the current device."""

from . import runtime


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
        return {
            "MultiProcessorCount": properties["multiProcessorCount"],
            "MaxThreadsPerMultiProcessor": properties["maxThreadsPerMultiProcessor"],
            "MaxSharedMemoryPerBlock": properties["sharedMemPerBlock"],
        }

    @property
    def compute_capability(self):
        """Major and minor number, as ``"90"``."""
        properties = runtime.getDeviceProperties(self.id)
        return f"{properties['major']}{properties['minor']}"

    @property
    def mem_info(self):
        """Free and total bytes."""
        return runtime.memGetInfo()
