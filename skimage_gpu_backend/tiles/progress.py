"""How far a call is: a bar on the terminal, where the user asked for it."""

import contextlib
import math
import time

from ..catalog import spoken
from ..device.rounds import asked

PATIENCE = 0.5  # seconds of a loop without a bar; most are over by then


@contextlib.contextmanager
def of(call):
    """Context in which tiles and rounds of launches of a `Call` are told, if its user asked."""
    telling = Telling(call.name) if call.progress else None
    token = asked.set(telling)
    try:
        yield
    finally:
        asked.reset(token)
        if telling:
            telling.end()


@contextlib.contextmanager
def shown(total):
    """Context that gives a function to be called for each of `total` tiles that is done."""
    telling = asked.get()
    if telling is None or telling.busy:
        yield _nothing
        return
    telling.begin(total, "tiles", patience=0)
    try:
        yield telling.advance
    finally:
        telling.end()


class Telling:
    """A bar for each loop of a call; those inside another one have none.

    Parameters
    ----------
    name : str
        Public module and function.

    Attributes
    ----------
    busy : bool
        Whether a loop is told.
    """

    def __init__(self, name):
        self._name, self.busy, self._bar = name, False, None

    def begin(self, total, unit="rounds", patience=None):
        """A loop begins, whose end may be unknown (None)."""
        self.busy, self._done, self._total, self._unit = True, 0, total, unit
        self._began = time.perf_counter()
        self._patience = PATIENCE if patience is None else patience
        if not self._patience:
            self._show()

    def advance(self, count=1):
        """More of it is done."""
        self._done += count
        if self._bar:
            self._bar.advance(self._bar.task_ids[0], count)
        elif time.perf_counter() - self._began >= self._patience:
            self._show()

    def end(self, count=0):
        """It is over, after some more that are under way."""
        if self._bar:
            self.advance(count)
            self._bar.stop()
        self.busy, self._bar = False, None

    def _show(self):
        from rich.console import Console
        from rich.errors import LiveError
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        columns = (*columns, TextColumn(self._unit), TimeElapsedColumn())
        bar = Progress(*columns, console=Console(stderr=True))
        bar.add_task(spoken(self._name), total=self._total, completed=self._done)
        bar.tasks[0].start_time -= time.perf_counter() - self._began
        try:
            bar.start()
        except LiveError:  # another one is on the terminal: of another thread, or the program's own
            self._patience = math.inf
            return
        self._bar = bar


def _nothing():
    pass
