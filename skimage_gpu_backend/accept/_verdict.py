"""What an accept function answers."""


class Invalid(str):
    """Reason of a declined call whose arguments scikit-image itself refuses.

    scikit-image is asked to raise its own error, before any data moves.
    """

    __slots__ = ()
