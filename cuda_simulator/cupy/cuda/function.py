"""`cupy.cuda.function`: modules that are loaded, and their kernels."""

from cuda_simulator import image, library

from .. import _kernels
from . import driver, runtime

_INVALID_IMAGE = 200


class Module:
    """A module of kernels, loaded from what NVRTC's stand-in compiled."""

    def __init__(self):
        self.mapping = None
        self._loaded = {}

    def load(self, cubin):
        """Load a module; an error where the bytes are none for this device."""
        runtime.getDevice()
        try:
            self._code, self._expressions, self._options = image.unpacked(bytes(cubin))
        except ValueError:
            raise driver.CUDADriverError(_INVALID_IMAGE) from None

    def get_function(self, name):
        """The kernel of a lowered name, or of an expression that has one in `mapping`."""
        name = (self.mapping or {}).get(name, name)
        if name not in self._expressions:
            raise _kernels.not_found(name)
        return Function(self, name)

    def get_global_var(self, name):
        """Pointer to a ``__device__`` or ``__constant__`` variable."""
        return _kernels.variable(self._of(library.build_key()), name, self)

    def _set_mapping(self, mapping):
        self.mapping = mapping

    def _of(self, build):
        if build not in self._loaded:
            self._loaded[build] = library.load(self._code, self._expressions, build, self._options)
        return self._loaded[build]


class Function(_kernels.Kernel):
    """A kernel of a module; calling it runs a grid."""

    def __init__(self, module, funcname):
        is_exact = library.is_for_any_block_size(module._code)
        super().__init__(lambda build: module._of(build).entries[funcname], is_exact, module)
