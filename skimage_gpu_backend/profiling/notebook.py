"""The magics of ``%load_ext skimage_gpu_backend``.

A cell under a magic is run here and not by the shell's `run_cell`, which shows an error and then
goes on as if there had been none, and which cannot run a cell that awaits something.
"""

import ast
import inspect

from IPython import get_ipython
from IPython.core.displayhook import DisplayHook
from IPython.core.error import UsageError

from .profile import profile
from .report import show, show_lines

_PREFIX = "skimage_gpu."


def load(shell):
    """Register the magics with an IPython shell, and make scikit-image dispatchable."""
    from ..dispatch.hook import enable

    enable()
    shell.register_magic_function(profiled, "cell", f"{_PREFIX}profile")
    shell.register_magic_function(line_profiled, "cell", f"{_PREFIX}line_profile")
    if _awaited not in shell.input_transformers_post:
        shell.input_transformers_post.append(_awaited)


def profiled(line, cell):
    """Run the cell, and tell what of scikit-image ran where and why."""
    __tracebackhide__ = True
    return _run(line, cell, lambda taken, _: show(taken))


def line_profiled(line, cell):
    """Run the cell, and tell for each of its lines the time of scikit-image's functions."""
    __tracebackhide__ = True
    return _run(line, cell, lambda taken, file: show_lines(taken, file, called=_called))


def _run(line, cell, tell):
    """The cell's value, or where the cell awaits something a coroutine that gives it."""
    __tracebackhide__ = True
    if line.strip():
        raise UsageError(f"what is to be run stands in the lines below the magic, not {line!r}")
    shell = get_ipython()
    source = shell.transform_cell(cell)
    number = len(shell.history_manager.input_hist_parsed) - 1  # of this cell, in tracebacks
    file = shell.compile.cache(source, number, raw_code=cell)
    steps = _compiled(shell, source, file)
    silent = DisplayHook.semicolon_at_end_of_expression(cell)
    running = _profiled(steps, shell, silent, lambda taken: tell(taken, file))
    if any(code.co_flags & inspect.CO_COROUTINE for code in steps):
        return running
    try:
        running.send(None)
    except StopIteration as done:
        return done.value


def _compiled(shell, source, file):
    """Code of the statements, and of the expression at the end, whose value is shown."""
    tree = shell.transform_ast(shell.compile.ast_parse(source, filename=file))
    parts = [(tree, "exec")]
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        parts.append((ast.Expression(tree.body.pop().value), "eval"))
    with shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if shell.autoawait else 0):
        return [shell.compile(part, file, mode) for part, mode in parts]


async def _profiled(steps, shell, silent, tell):
    __tracebackhide__ = True
    try:
        with profile() as taken:
            for code in steps:
                value = eval(code, shell.user_global_ns, shell.user_ns)
                if code.co_flags & inspect.CO_COROUTINE:
                    value = await value
    finally:
        tell(taken)
    return None if silent else value


def _called(file):
    """Name of a cell as tracebacks have it, or of a file."""
    return " ".join(get_ipython().compile.format_code_name(file) or (file,))


def _awaited(lines):
    """Have the shell await a magic of ours where the cell below it awaits something."""
    if lines and lines[0].startswith(f"get_ipython().run_cell_magic('{_PREFIX}"):
        shell = get_ipython()
        cell = ast.parse("".join(lines)).body[0].value.args[2].value
        transformed = shell.transform_cell(cell)
        if shell.should_run_async(cell, transformed_cell=transformed):
            return ["await ", *lines]
    return lines
