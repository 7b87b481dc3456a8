"""What the simulator raises that CuPy has no name for."""


class NoCompilerError(RuntimeError):
    """There is no C++ compiler on this machine."""


class KernelError(RuntimeError):
    """A kernel did what a GPU does not forgive: a misused barrier, a failed assertion."""
