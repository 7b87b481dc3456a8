"""How far work in tiles is: a bar on the terminal, where the user asked for it."""

import contextlib

from ..catalog import spoken


@contextlib.contextmanager
def shown(call, total):
    """Context that gives a function to be called for each of `total` tiles that is done.

    Parameters
    ----------
    call : Call
    total : int
    """
    if not call.progress:
        yield _nothing
        return
    from rich.console import Console
    from rich.errors import LiveError
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    bar = Progress(*columns, TextColumn("tiles"), TimeElapsedColumn(), console=Console(stderr=True))
    task = bar.add_task(spoken(call.name), total=total)
    try:
        bar.start()
    except LiveError:  # another one is on the terminal: of another thread, or the program's own
        yield _nothing
        return
    try:
        yield lambda: bar.advance(task)
    finally:
        bar.stop()


def _nothing():
    pass
