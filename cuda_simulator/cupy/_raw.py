"""`RawModule` and `RawKernel`: CUDA sources, compiled by the simulator's runtime."""

from pathlib import Path

from cuda_simulator import compiler, library

from . import _kernels
from .cuda import compiler as _compiler


class RawModule:
    """A module of CUDA kernels.

    Parameters
    ----------
    code, path : str
        CUDA C++ source, or the file that has it.
    options : tuple of str
        Options for NVRTC; definitions (``-D``, ``-U``) count here, the others do not.
    backend, translate_cucomplex, enable_cooperative_groups, jitify
        Taken, and of no effect: one compiler compiles everything.
    name_expressions : sequence of str
        Specializations that `get_function` will ask for, all compiled together.
    """

    def __init__(
        self,
        *,
        code=None,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=None,
    ):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        _check("options", options, tuple)
        if code is not None:
            _check("code", code, str)
        if path is not None:
            if name_expressions is not None:
                raise ValueError("need CUDA C++ code for the requested kernels")
            if not str(path).endswith((".cu", ".cuh")):
                raise NotImplementedError("the simulator compiles source text only")
            code = Path(path).read_text()
        self.code = code
        self.file_path = path
        self.options = options
        self.backend = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self._loaded = {}

    def get_function(self, name):
        """The kernel of a name expression, or of a plain name."""
        if self.name_expressions is not None and name not in self.name_expressions:
            raise ValueError(f"{name!r} is not among the module's name_expressions")
        kernel = RawKernel._of_module(self, name)
        kernel.compile()
        return kernel

    def get_global(self, name):
        """Pointer to a ``__device__`` or ``__constant__`` variable of the module."""
        return _kernels.variable(self._load(library.build_key()), name, self)

    def compile(self, log_stream=None):
        """Compile now what `get_function` would compile."""
        self._load(library.build_key())

    @property
    def module(self):
        """The compiled module, for the mode that is set."""
        return self._load(library.build_key())

    def _entry(self, name, build):
        names = self.name_expressions or library.kernel_names(self.code)
        if name in names:
            return self._load(build).entries[name]
        if name in self.code:  # a template's, or one that a macro or a condition makes
            return self._load(build, (name,)).entries[name]
        raise _kernels.not_found(name)

    def _load(self, build, names=None):
        names = names or self.name_expressions or library.kernel_names(self.code)
        key = (names, build)
        if key not in self._loaded:
            try:
                self._loaded[key] = library.load(self.code, names, build, self.options)
            except compiler.CompileError as error:
                raise _compiler.CompileException(
                    str(error), self.code, names[0] if names else "", self.options, "simulator"
                ) from None
        return self._loaded[key]


class RawKernel:
    """One kernel; calling it runs a grid.

    Parameters
    ----------
    code, name : str
        CUDA C++ source and the name of the kernel in it.
    options, backend, translate_cucomplex, enable_cooperative_groups, jitify
        As for `RawModule`.
    """

    def __init__(
        self,
        code,
        name,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        *,
        enable_cooperative_groups=False,
        jitify=None,
    ):
        module = RawModule(
            code=code,
            options=options,
            backend=backend,
            enable_cooperative_groups=enable_cooperative_groups,
        )
        self._set(module, name)

    @classmethod
    def _of_module(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._set(module, name)
        return kernel

    def _set(self, module, name):
        self._module = module
        self.name = name
        is_exact = library.is_for_any_block_size(module.code)
        self._function = _kernels.Kernel(lambda build: module._entry(name, build), is_exact, module)
        self.preferred_shared_memory_carveout = -1

    code = property(lambda self: self._module.code)
    options = property(lambda self: self._module.options)
    backend = property(lambda self: self._module.backend)
    file_path = property(lambda self: self._module.file_path)
    enable_cooperative_groups = property(lambda self: self._module.enable_cooperative_groups)

    # What a GPU's compiler would know; here as for a kernel that needs little.
    max_threads_per_block = 1024
    shared_size_bytes = const_size_bytes = local_size_bytes = 0
    num_regs = 32
    ptx_version = binary_version = 80
    cache_mode_ca = 0

    @property
    def max_dynamic_shared_size_bytes(self):
        """Bytes of dynamic shared memory that a block may have; may be set."""
        return self._function._shared_limit

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, nbytes):
        self._function._shared_limit = nbytes

    @property
    def attributes(self):
        """The attributes above, by name."""
        names = (
            "max_threads_per_block shared_size_bytes const_size_bytes local_size_bytes num_regs "
            "ptx_version binary_version cache_mode_ca max_dynamic_shared_size_bytes "
            "preferred_shared_memory_carveout"
        )
        return {name: getattr(self, name) for name in names.split()}

    @property
    def kernel(self):
        """The compiled kernel, for the mode that is set."""
        return self._function._launcher().entry

    def compile(self, log_stream=None):
        """Compile now, for the mode that is set."""
        self._function._launcher()

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        """Run the kernel; returns when it is done."""
        self._function(grid, block, args, shared_mem)


RawModule.__module__ = RawKernel.__module__ = "cupy"


def _check(name, value, kind):
    if not isinstance(value, kind):
        expected, given = kind.__name__, type(value).__name__
        raise TypeError(f"Argument '{name}' has incorrect type (expected {expected}, got {given})")
