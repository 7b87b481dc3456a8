"""`RawModule` and `RawKernel`: CUDA sources, compiled by the simulator's runtime."""

from skimage_gpu_backend.simulator import compiler, library
from skimage_gpu_backend.simulator.launch import Launcher

from ._ndarray import ndarray
from .cuda import compiler as _compiler
from .cuda import driver


class RawModule:
    """A module of CUDA kernels.

    Parameters
    ----------
    code : str
        CUDA C++ source.
    options : tuple of str
        Options for NVRTC; definitions (``-D``) count here, the others do not.
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
        jitify=False,
    ):
        if code is None or path is not None:
            raise NotImplementedError("the simulator compiles source text only")
        self.code = code
        self.options = tuple(options)
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self._entries = {}

    def get_function(self, name):
        """The kernel of a name expression, or of a plain name."""
        if self.name_expressions is not None and name not in self.name_expressions:
            raise ValueError(f"{name!r} is not among the module's name_expressions")
        kernel = RawKernel._of_module(self, name)
        kernel.compile()
        return kernel

    def compile(self, log_stream=None):
        """Compile now what `get_function` would compile."""
        if self.name_expressions:
            self._load(self.name_expressions, library.build_key())

    def _entry(self, name, build):
        return self._load(self.name_expressions or (name,), build)[name]

    def _load(self, names, build):
        key = (names, build)
        if key not in self._entries:
            try:
                self._entries[key] = library.load(self._text(), names, build)
            except compiler.CompileError as error:
                raise _compiler.CompileException(
                    str(error), self.code, names[0], self.options, "simulator"
                ) from None
        return self._entries[key]

    def _text(self):
        definitions = [option[2:] for option in self.options if option.startswith("-D")]
        lines = [f"#define {d.replace('=', ' ', 1)}" for d in definitions]
        return "\n".join([*lines, '#line 1 "kernel.cu"', self.code] if lines else [self.code])


class RawKernel:
    """One kernel; calling it runs a grid."""

    def __init__(self, code, name, options=(), backend="nvrtc", **other):
        self._module = RawModule(code=code, options=options)
        self.name = name
        self._launchers = {}

    @classmethod
    def _of_module(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._module = module
        kernel.name = name
        kernel._launchers = {}
        return kernel

    def compile(self, log_stream=None):
        """Compile now, for the mode that is set."""
        self._launcher()

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None, **other):
        """Run the kernel; returns when it is done."""
        grid, block = driver.checked_launch(grid, block, shared_mem)
        self._launcher()(grid, block, args, shared_mem)

    def _launcher(self):
        build = library.build_key()
        launcher = self._launchers.get(build)
        if launcher is None:
            launcher = Launcher(self._module._entry(self.name, build), ndarray)
            self._launchers[build] = launcher
        return launcher
