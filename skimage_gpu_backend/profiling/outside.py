"""Time of scikit-image outside of all watched calls, by samples of the threads' stacks.

What is not dispatched (attributes of `RegionProperties`, `skimage.io`, private functions) is not
watched either. A thread looks 200 times a second where the others are; nothing is put into the
functions themselves. Compiled classes have no frames of Python's and are not seen.
"""

import sys
import threading
import time

from ..dispatch import _importlib_bootstrap as way
from ..upstream.layout import ROOTS, as_public

_INTERVAL = 0.005  # that in which Python's threads take turns
_clock = time.perf_counter
_RECORDED = (way._recorded.__code__, way._recorded_in_turn.__code__)


class Sampler(threading.Thread):
    """Looks at all threads until it is stopped.

    Parameters
    ----------
    tell : callable
        Gets the name of what of scikit-image a thread is in, as ``"skimage.io.imread"``, and for
        how many seconds.
    """

    def __init__(self, tell):
        super().__init__(name="skimage-gpu-profile", daemon=True)
        self._tell = tell
        self._stopped = threading.Event()

    def run(self):
        before = _clock()
        own = threading.get_ident()
        while not self._stopped.wait(_INTERVAL):
            frames = sys._current_frames()
            now = _clock()
            for thread, frame in frames.items():
                if thread != own and (name := _outside(frame)):
                    self._tell(name, now - before)
            del frames, frame  # which keep alive what their variables hold
            before = now

    def stop(self):
        """Ends the thread, which may be in its last look."""
        self._stopped.set()


def _outside(frame):
    """What of scikit-image a thread is in by its innermost `frame`, None in a watched call.

    The outermost function counts, which the user has called; the import of a module does not.
    """
    found = outermost = None
    for_a_call = False  # of a dispatchable function, from where the outermost one was called
    while frame is not None:
        code = frame.f_code
        if code in _RECORDED:
            return None
        module = frame.f_globals.get("__name__", "")
        if code.co_filename == way.__file__:  # in functions of scikit-image, too
            for_a_call = True
        elif str(module).startswith(ROOTS) and way._is_internal(module):
            outermost, for_a_call = code.co_name, False
            if found is None or "<locals>" not in code.co_qualname:
                found = frame
        frame = frame.f_back
    return None if found is None or for_a_call or outermost == "<module>" else _named(found)


def _named(frame):
    """Module and function of a frame as a user knows them: without private parts."""
    module = as_public(frame.f_globals["__name__"]).split(".")
    public = [part for part in module[:2] if not part.startswith("_")]
    return ".".join([*public, frame.f_code.co_qualname.replace(".<locals>", "")])
