"""What may differ, and why."""

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass

GREY = tuple(
    f"morphology.{name}"
    for name in ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat")
)


@dataclass(frozen=True)
class Excuse:
    """A kind of difference that is none of ours.

    Parameters
    ----------
    functions : str or tuple of str
        Patterns of names, as ``"filters.rank.*"``.
    kinds : tuple of str
        Of differences, as `compare.KINDS` has them.
    applies : callable
        Takes the call, the `Difference`, and how scikit-image and ours went.
    why : str
        The reason, which the report of a run counts.
    """

    functions: str | tuple[str, ...]
    kinds: tuple[str, ...]
    applies: Callable
    why: str

    @property
    def patterns(self) -> tuple[str, ...]:
        return self.functions if isinstance(self.functions, tuple) else (self.functions,)

    def concerns(self, name, kind) -> bool:
        """Whether it is about a function, as ``"filters.median"``, and a kind of difference."""
        return kind in self.kinds and any(fnmatch.fnmatch(name, each) for each in self.patterns)
