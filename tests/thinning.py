"""Which of a test's cases run when: by rule, so that no list has to be kept.

``thorough`` cases are left out of the quick run, ``python -m pytest``; ``exhaustive`` ones of CI's,
``-m "not exhaustive"``, too. ``-m ""`` takes all.

- Of a test with several parameters CI takes cases in which each value is met twice, each time with
  others.
- The quick run takes the first of a test's cases; of tests that take the calls of the sweeps, the
  first of each function.
- A test that marks cases itself has a rule of its own.
"""

import collections
import itertools

import pytest


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
        if len(factors[0]) > 1:
            left = set(each_value_twice(factors))
        for number, item in enumerate(group):
            if number not in left:
                item.add_marker(pytest.mark.exhaustive)
        for number in sorted(left)[1:]:
            group[number].add_marker(pytest.mark.thorough)


def _test(item):
    """What a case is a case of: a test; a function, where the test takes calls of sweeps."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    swept = [p.sweep.name for p in parameters if hasattr(p, "sweep")]
    return item.path, item.originalname, *swept


def each_value_twice(rows):
    """Few of the rows, in which each value is met twice that is there twice, with others if it may.

    Parameters
    ----------
    rows : list of tuple
        A value for each parameter; all of one length.

    Returns
    -------
    list of int
        Their numbers, in the order in which they were found.
    """
    values = [set(enumerate(row)) for row in rows]
    pairs = [set(itertools.combinations(enumerate(row), 2)) for row in rows]
    there = collections.Counter(value for row in values for value in row)
    missing = {value: min(2, count) for value, count in there.items()}
    met, found, left = set(), [], set(range(len(rows)))

    def gain(number):
        return sum(missing[v] > 0 for v in values[number]), len(pairs[number] - met), -number

    while max(missing.values()) > 0:
        best = max(left, key=gain)
        left.remove(best)
        found.append(best)
        met |= pairs[best]
        for value in values[best]:
            missing[value] -= 1
    return found


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
