"""The page of known differences between cuCIM and scikit-image, from the catalog of them."""

from skimage_gpu_backend.catalog import CATALOG, spoken
from skimage_gpu_backend.cucim.delegate import about
from skimage_gpu_backend.cucim.mistakes import CORRECTED

from .record import FILE

PAGE = FILE.with_name("cucim_differences.md")

_HEAD = """\
# Where cuCIM differs from scikit-image

`python -m tests.differential` writes this page from `skimage_gpu_backend/cucim`; tests check that
it is current and that each example still shows its difference (cuCIM 26.10 against scikit-image
0.26, on the simulator). Calls of these kinds are declined and run on scikit-image. In the
examples `ski` is `skimage`, `cs` is `cucim.skimage` and `cp` is CuPy; the last line of each is
true as long as the two differ.

"""
_MISTAKES = """\
## Mistakes that are worked around

Reports as those above; here the calls run on the device, as arguments or results are corrected.

"""
_OTHERS = """\
## Other differences

Those that have an example. [The table of functions](functions.md) has all for which calls are
declined.

"""


def render() -> str:
    """The page: first what looks like mistakes of cuCIM, as reports, then other examples."""
    bugs, others = [], []
    for name in sorted(name for name, row in CATALOG.items() if row.cucim):
        for difference in about(name, "DIFFERENCES", ()):
            if difference.bug:
                bugs.append((name, difference))
            elif difference.example:
                others.append((name, difference))
    page = _HEAD + "## Reports\n\n"
    for name, difference in bugs:
        page += f"### {_title(name)}: {difference.reason}\n\n{difference.bug.strip()}\n\n"
        page += _code(difference)
    page += _MISTAKES
    for name in sorted(CORRECTED):
        for mistake in CORRECTED[name]:
            page += f"### {_title(name)}: {mistake.title}\n\n{mistake.bug.strip()}\n\n"
            page += _code(mistake) if mistake.example else ""
    page += _OTHERS
    for name, difference in others:
        page += f"### {_title(name)}: {difference.reason}\n\n{_code(difference)}"
    return page.rstrip() + "\n"


def _title(name):
    return f"`{spoken(name)}`"


def _code(difference):
    return f"```python\n{difference.example.strip()}\n```\n\n"
