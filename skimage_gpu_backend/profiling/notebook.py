"""The magics of ``%load_ext skimage_gpu_backend``."""

from .profile import profile
from .report import show, show_lines


def load(shell):
    """Register the magics with an IPython shell, and make scikit-image dispatchable."""
    from ..dispatch.hook import enable

    enable()

    def profiled(line, cell):
        """Run the cell, and tell what of scikit-image ran where and why."""
        with profile() as taken:
            shell.run_cell(cell)
        show(taken)

    def line_profiled(line, cell):
        """Run the cell, and tell for each of its lines the time of scikit-image's functions."""
        with profile() as taken:
            shell.run_cell(cell)
        compiled = shell.transform_cell(cell), shell.execution_count
        show_lines(taken, shell.compile.get_code_name(cell, *compiled))

    shell.register_magic_function(profiled, "cell", "skimage_gpu.profile")
    shell.register_magic_function(line_profiled, "cell", "skimage_gpu.line_profile")
