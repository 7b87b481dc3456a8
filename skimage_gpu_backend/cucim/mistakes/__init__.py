"""Mistakes of cuCIM that our corrections make good, as reports to its maintainers.

Data for documentation and tests; nothing here is imported at run time. `CORRECTED` has tuples of
`Mistake`, by the full name of the function in whose example the mistake shows.
"""

from . import arrays, filters, points, shapes

CORRECTED = {**arrays.CORRECTED, **filters.CORRECTED, **points.CORRECTED, **shapes.CORRECTED}
