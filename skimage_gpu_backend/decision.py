"""The answer to a call: it is taken, and by what, or it is not, and why."""

from .reasons import with_values
from .trouble import Declined


class Decision:
    """Whether a backend takes a call, and why not.

    True where the call is taken; then `run` executes it.

    Attributes
    ----------
    reason : str
        Why the call was declined, in words that a user understands.
    key : str
        The reason without the values of this call: what repeats is told once.
    invalid : bool
        scikit-image itself refuses these arguments and is to say so.
    source : {"kernel", "cucim", None}
        What runs a call that was taken.
    plan : Plan or None
        Of a call that our kernels run.
    """

    __slots__ = ("_call", "_reason", "_run", "invalid", "key", "plan", "source")

    def __init__(
        self, reason="", *, key=None, invalid=False, run=None, source=None, plan=None, call=None
    ):
        self._reason = reason
        self._call = call  # function, args and kwargs, which the reason is about
        self.key = key or reason
        self.invalid = invalid
        self.source = source
        self.plan = plan
        self._run = run

    @property
    def reason(self):
        return with_values(self._reason, *self._call) if self._call else str(self._reason)

    __str__ = reason.fget  # put into words only where somebody reads it

    def __bool__(self):
        return self._run is not None

    def __repr__(self):
        return f"Decision(accepted from {self.source})" if self else f"Decision({self.reason!r})"

    def run(self):
        """Execute the call; the result is what the user gets.

        Raises
        ------
        DeviceTrouble
            The device failed; nothing was written into the caller's arrays.
        """
        try:
            return self._run()
        except Declined as declined:  # of the data: NaN, labels out of range
            if self._call:
                declined.with_values = with_values(declined.key, *self._call)
            raise
