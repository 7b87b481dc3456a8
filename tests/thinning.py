"""Which of a test's cases run when: by rule, so that no list has to be kept.

``thorough`` cases are left out of the quick run, ``python -m pytest``; ``exhaustive`` ones of CI's,
``-m "not exhaustive"``, too. ``-m ""`` takes all.

- Of a test with three parameters or more CI takes cases in which all pairs of values meet.
- The quick run takes a few of a test's cases, the first and the last among them. Of tests that take
  the calls of the sweeps it takes few for each function.
- A test that marks cases itself has a rule of its own.
"""

import itertools

import pytest

QUICK = 2  # cases of a test, or of a function in it


def thin(items):
    """Mark the cases of `items` that do not run always.

    Parameters
    ----------
    items : list of pytest.Item
    """
    groups = {}
    for item in items:
        groups.setdefault(_test(item), []).append(item)
    for group in groups.values():
        if any(item.get_closest_marker(m) for item in group for m in ("thorough", "exhaustive")):
            continue
        factors = [tuple(item.callspec._idlist) for item in group if hasattr(item, "callspec")]
        if len(factors) < len(group):
            continue  # no parameters
        left = set(range(len(group)))
        if len(factors[0]) > 2:
            left = set(pairwise(factors))
        for number, item in enumerate(group):
            if number not in left:
                item.add_marker(pytest.mark.exhaustive)
        for number in sorted(left - set(spread(sorted(left), QUICK))):
            group[number].add_marker(pytest.mark.thorough)


def _test(item):
    """What a case is a case of: a test; a function, where the test takes calls of sweeps."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    swept = [p.sweep.name for p in parameters if hasattr(p, "sweep")]
    return item.path, item.originalname, *swept


def pairwise(rows):
    """Numbers of rows in which all pairs of values meet that meet anywhere.

    Parameters
    ----------
    rows : list of tuple
        A value for each parameter; all of one length.

    Yields
    ------
    int
        In ascending order. A row is passed over where each of its pairs has been met.
    """
    met = set()
    for number, row in enumerate(rows):
        pairs = set(itertools.combinations(enumerate(row), 2))
        if not pairs <= met:
            met |= pairs
            yield number


def each_value(rows):
    """Numbers of rows in which each value is met that is met anywhere in its column.

    Parameters
    ----------
    rows : list of tuple
        A value for each parameter.

    Yields
    ------
    int
        In ascending order.
    """
    met = set()
    for number, row in enumerate(rows):
        values = set(enumerate(row))
        if not values <= met:
            met |= values
            yield number


def spread(values, count):
    """Up to `count` of the values, evenly spread, the first and the last among them."""
    if len(values) <= count:
        return values
    return [values[round(n * (len(values) - 1) / (count - 1))] for n in range(count)]
