"""Transfers and launches, told to whoever watches; where nobody does, one test tells so."""

from contextlib import nullcontext

watcher = None  # while a profile is taken: a `Watcher`
UNSEEN = nullcontext()


class Watcher:
    """What a watcher is told; each method returns a context for what is measured."""

    def transfer(self, direction, nbytes):
        """Copy of `nbytes` bytes; `direction` is "to device" or "to host"."""
        raise NotImplementedError

    def launch(self, name):
        """Launch of the kernel called `name` on the current stream."""
        raise NotImplementedError

    def carried(self, function):
        """`function` for another thread, where what it does belongs to this thread's call."""
        raise NotImplementedError


def transfer(direction, nbytes):
    """Context of a copy between host and device."""
    return UNSEEN if watcher is None else watcher.transfer(direction, nbytes)


def carried(function):
    """`function` for a thread that helps with the call of this one."""
    return function if watcher is None else watcher.carried(function)
