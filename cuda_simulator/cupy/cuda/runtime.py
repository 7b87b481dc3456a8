"""`cupy.cuda.runtime`: devices that the simulator has, and their properties."""

import os
import threading

from cuda_simulator import faults, pages, settings

_NAMES = {
    1: ("cudaErrorInvalidValue", "invalid argument"),
    2: ("cudaErrorMemoryAllocation", "out of memory"),
    46: (
        "cudaErrorDevicesUnavailable",
        "CUDA-capable device(s) is/are busy or unavailable",
    ),
    100: ("cudaErrorNoDevice", "no CUDA-capable device is detected"),
    101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    214: ("cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"),
    700: ("cudaErrorIllegalAddress", "an illegal memory access was encountered"),
    719: ("cudaErrorLaunchFailure", "unspecified launch failure"),
    801: ("cudaErrorNotSupported", "operation not supported"),
}
is_hip = False
streamLegacy, streamPerThread = 1, 2
# Of textures, which the simulator has not: code that can do without asks for these first.
cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder = range(4)
cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned = 0, 1
cudaChannelFormatKindFloat, cudaChannelFormatKindNone = 2, 3
cudaFilterModePoint, cudaFilterModeLinear = 0, 1
cudaReadModeElementType, cudaReadModeNormalizedFloat = 0, 1
cudaResourceTypeArray, cudaResourceTypeMipmappedArray = 0, 1
cudaResourceTypeLinear, cudaResourceTypePitch2D = 2, 3
_local = threading.local()  # each thread of the host has a current device


class CUDARuntimeError(RuntimeError):
    """An error of the CUDA runtime."""

    def __init__(self, status):
        self.status = status
        name, text = _NAMES.get(status, ("cudaErrorUnknown", "unknown error"))
        super().__init__(f"{name}: {text}")

    def __reduce__(self):
        return type(self), (self.status,)


def getDeviceCount():
    """Number of devices; an error where there is none, as CUDA has it."""
    faults.meet("query")
    count = settings.device_count()
    if count == 0:
        raise CUDARuntimeError(100)
    return count


def getDevice():
    """Index of the current device."""
    faults.meet("query")
    if settings.device_count() == 0:
        raise CUDARuntimeError(100)
    return _current()


def _current():
    """The same for the stand-in itself, which is no operation."""
    return getattr(_local, "device", 0)


def setDevice(device):
    """Make another device the current one, which touches neither."""
    if not 0 <= device < settings.device_count():
        raise CUDARuntimeError(101 if settings.device_count() else 100)
    _local.device = device


def getDeviceProperties(device):
    """Properties of a device.

    In fast mode blocks are CPU work: a few per core. In strict mode the device is a small
    GPU, so that grids have many blocks.
    """
    if not 0 <= device < getDeviceCount():
        raise CUDARuntimeError(101)
    strict = settings.strict()
    return {
        "name": b"CPU simulator",
        "totalGlobalMem": memGetInfo()[1],
        "sharedMemPerBlock": 48 << 10,
        "sharedMemPerMultiprocessor": 100 << 10,
        "sharedMemPerBlockOptin": 48 << 10,
        "regsPerBlock": 65536,
        "warpSize": 32,
        "maxThreadsPerBlock": 1024,
        "maxThreadsDim": (1024, 1024, 64),
        "maxGridSize": (2**31 - 1, 65535, 65535),
        "multiProcessorCount": 4 if strict else len(os.sched_getaffinity(0)),
        "maxThreadsPerMultiProcessor": 2048 if strict else 1024,
        "l2CacheSize": 4 << 20,
        "globalL1CacheSupported": 1,
        "localL1CacheSupported": 1,
        "major": 9,
        "minor": 0,
    }


def memGetInfo():
    """Free and total bytes of the current device."""
    faults.meet("query")
    from .. import _memory

    total = settings.memory_limit()
    if total is not None:
        # as CUDA sees it: what the pool keeps for later arrays is taken
        taken = _memory.used_bytes() + _memory.free_bytes() + _memory.managed_bytes()
        return max(0, total - taken), total
    return _left_by_all_programs(), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _left_by_all_programs():
    try:
        with open("/proc/meminfo") as lines:
            told = dict(line.split(":") for line in lines)
    except FileNotFoundError:  # no Linux
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 1024 * int(told["MemAvailable"].split()[0])


cudaDevAttrConcurrentManagedAccess = 89


def deviceGetAttribute(attrib, device):
    """The one attribute that is asked for: whether host and device share managed memory."""
    if not 0 <= device < getDeviceCount():
        raise CUDARuntimeError(101)
    if attrib != cudaDevAttrConcurrentManagedAccess:
        raise NotImplementedError(f"the simulator does not know attribute {attrib}")
    return int(pages.available())


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Bring managed memory to the device; only this way, and always all of an allocation."""
    faults.meet("prefetch")
    if count == 0 or not pages.shift(devPtr):
        raise CUDARuntimeError(1)
    if dstDevice < 0:
        raise NotImplementedError("the simulator does not prefetch to the host")
    pages.to_device(devPtr)


def deviceSynchronize():
    """Wait for the device: launches are synchronous here."""
    getDevice()
    faults.meet("wait")


def runtimeGetVersion():
    """Version of the CUDA runtime that the simulator follows."""
    return 12090


def driverGetVersion():
    """Version of the driver's API."""
    return 12090
