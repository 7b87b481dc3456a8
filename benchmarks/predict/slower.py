"""Why calls are predicted to take longer than cuCIM's, and what they would take by cuCIM.

`python -m benchmarks.predict.slower CARD SIDE ...` predicts the latter, and keeps it: what the
package's backend `cucim` launches, which gives cuCIM images in the type in which scikit-image
computes, and numbers to the caller.
"""

import argparse
import json
import sys

from . import cards
from .rows import RESULTS, by_reason, ratio_of, reason_of, rows_of

_KEPT = RESULTS / "backend" / "cucim.json"
ALIKE = 0.995
_COPIES = (
    "scikit-image gives a number, which is copied to the host; cuCIM leaves it on the device in an"
    " array without axes"
)
_DOUBLE = (
    "operations in double, which make scikit-image's bits; cuCIM's are in single precision, and"
    " other numbers"
)
# Patterns of a function and its images, and the reason, where it is neither of these
REASONS = (
    (
        r"filters\.(butterworth|filter_forward) uint8( RGB)?",
        "Fourier transforms in double, as scikit-image's are of integers; cuCIM's are in single"
        " precision",
    ),
    (
        r"color\.(hed2rgb|combine_stains) float32 RGB|util\.img_as_float as it is",
        "the result is of doubles, as scikit-image's is; cuCIM's is in single precision, half the"
        " bytes",
    ),
    (
        r"feature\.match_descriptors (uint8|float32)",
        "cuCIM's distances are SciPy's, on the host, whose time is in none of the numbers",
    ),
    (
        r"exposure\.adjust_gamma uint8|util\.(img_as_uint as it is|invert uint8)"
        r"|measure\.shannon_entropy float32|morphology\.remove_small_objects as it is",
        "cuCIM's launches are CuPy's own (of `shannon_entropy` the same sort), and count by their"
        " bytes alone",
    ),
    (
        r"filters\.difference_of_gaussians float32|color\.lab2lch uint8",
        "sums in two floats, angles in double, which make scikit-image's last bits",
    ),
)


def why(row) -> str | None:
    """Why a call is predicted to take longer than cuCIM's; "" if that is not known.

    Parameters
    ----------
    row : dict
        A prediction; None is returned if the call does not.
    """
    ours, theirs = row["gpu"], row["cucim"]
    ratio = ratio_of(row)
    if not ratio or ratio >= ALIKE:
        return None
    without = ours["us"] - 1e6 * cards.COPY * (ours["copies"] - theirs["copies"])
    if ratio_of({"gpu": {"us": without}, "cucim": theirs}) >= ALIKE:
        return _COPIES
    return reason_of(row, REASONS) or (_DOUBLE if ours["bound"] == "double" else "")


def calls_of(rows) -> dict:
    """Calls that are predicted to take longer than cuCIM's, with their ratios, by reason."""
    return by_reason(rows, why, ratio_of)


def by_cucim() -> dict:
    """Microseconds of calls by the package's backend `cucim`; None where it declines them.

    Returns
    -------
    dict
        By a text of card, side, function and images.
    """
    return json.loads(_KEPT.read_text()) if _KEPT.exists() else {}


def key_of(card, row) -> str:
    """A call's key in `by_cucim`."""
    return f"{card} {row['side']} {row['function']} {row['images']}"


def main(arguments=None) -> int:
    """Predict calls that are predicted to take longer than cuCIM's by the backend `cucim`."""
    from benchmarks.calls import calls, sized
    from benchmarks.ways import Call
    from tests.differential.inputs import forget
    from tests.differential.sweeps import SWEEPS

    parser = argparse.ArgumentParser(prog="python -m benchmarks.predict.slower")
    parser.add_argument("card", choices=sorted(cards.CARDS))
    parser.add_argument("side", type=int)
    parser.add_argument("names", nargs="*", help="parts of functions' names; default: all")
    options = parser.parse_args(arguments)
    slow = {
        (row["function"], row["images"]): key_of(options.card, row)
        for row in rows_of(options.card)
        if row["side"] == options.side and why(row) is not None
    }
    for sweep in SWEEPS:
        if options.names and not any(part in sweep.name for part in options.names):
            continue
        for images, call in calls(sweep):
            if key := slow.get((sweep.name, images)):
                sent = Call(sweep.name, sized(sweep.name, call, options.side))
                us = _by_backend(sent, cards.CARDS[options.card])
                print(f"{key}: {'declined' if us is None else f'{us:.1f} us'}", flush=True)
                kept = {**by_cucim(), key: us and round(us, 2)}
                _KEPT.write_text(json.dumps(dict(sorted(kept.items())), indent=0) + "\n")
                forget()
    return 0


def _by_backend(call, card):
    from .launches import watched
    from .model import predicted
    from .separable import by_scipy

    with by_scipy(), watched(card) as seen:
        result = call.run_by("cucim")
    return None if result is None else 1e6 * predicted(seen, card).seconds


if __name__ == "__main__":
    sys.exit(main())
