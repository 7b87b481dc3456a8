"""Watching calls: which of the user's calls of scikit-image ran where, and how long."""

import time
from contextlib import contextmanager

from . import _importlib_bootstrap as way


class Call:
    """One call of a public function by the user's code.

    Attributes
    ----------
    name : str
        Public module and function.
    args : tuple
    kwargs : dict
        The caller's arguments.
    backend : str or None
        The backend that ran it, None for scikit-image itself.
    source : str or None
        What of that backend ran: "kernel", "cucim", None if it does not tell.
    declined : list of (str, str, str)
        Backends that did not run it: name, reason, reason without the call's numbers.
    seconds : float
        Wall time from the call to its result on the caller's side.
    result : object
        What the caller got.
    """

    def __init__(self, name, args, kwargs):
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.backend = self.source = self.result = None
        self._declined = []
        self.seconds = 0.0
        self._start = time.perf_counter()

    def again(self):
        """The next result of a generator is asked for."""
        self._start = time.perf_counter() - self.seconds

    def end(self, failed):
        """The call has returned, or raised."""
        self.seconds = time.perf_counter() - self._start

    @property
    def declined(self):
        return [(name, str(reason), key) for name, reason, key in self._declined]

    @declined.setter
    def declined(self, declined):
        self._declined = declined  # reasons are put into words only where somebody reads them

    def ran_on(self, backend, decision):
        """Note the backend that ran the call."""
        self.backend = backend
        self.source = getattr(decision, "source", None)


@contextmanager
def observe():
    """Collect the user's calls of dispatchable functions, in all threads.

    Yields
    ------
    list of Call
        Grows by one with each call that begins.
    """
    calls = []

    def record_of(name, args, kwargs, caller):
        calls.append(Call(name, args, kwargs))
        return calls[-1]

    before, way.record_of = way.record_of, record_of
    try:
        yield calls
    finally:
        way.record_of = before
