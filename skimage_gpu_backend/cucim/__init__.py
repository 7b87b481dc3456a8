"""Delegation to cuCIM: arguments are matched by name, results are brought to scikit-image's.

For each module of scikit-image there may be a module here (``filters_rank`` for
``skimage.filters.rank``) with two tables, both by the function's name:

DIFFERENCES
    Tuples of `Difference`: the calls for which cuCIM does not give what scikit-image
    gives. They are declined.
CORRECTIONS
    Functions that take cuCIM's function and the caller's arguments by name, and return
    what scikit-image would return.

What corrections make good and cuCIM's maintainers may want to know is told in `mistakes`, which
is not imported at run time.
"""

from .delegate import BESIDE, implementation, why_not
from .difference import Difference

__all__ = ["BESIDE", "Difference", "implementation", "why_not"]
