"""What is left out is what other cases have shown."""

import itertools

from tests.thinning import each_value, each_value_twice, spread


def test_each_value_is_met_twice_and_with_others():
    rows = list(itertools.product("abcd", range(5), ("x", "y", "z"), (True, False)))
    kept = [rows[n] for n in each_value_twice(rows)]
    assert len(kept) == len(set(kept)) < 15
    for place, column in enumerate(zip(*rows, strict=True)):
        for value in set(column):
            its = [row for row in kept if row[place] == value]
            assert len(its) > 1
            assert all(len({row[other] for row in its}) > 1 for other in {0, 1, 2, 3} - {place})


def test_a_value_that_is_there_once_is_met():
    rows = [("a", 0, "x"), ("a", 1, "x"), ("b", 0, "x")]
    assert each_value_twice(rows) == [0, 1, 2]


def test_each_value_is_met_in_fewer_rows():
    rows = list(itertools.product("abcd", range(5)))
    kept = [rows[n] for n in each_value(rows)]
    assert len(kept) < len(rows) / 2
    assert [set(column) for column in zip(*kept, strict=True)] == [set("abcd"), set(range(5))]


def test_a_few_are_spread_over_all():
    assert spread(list(range(10)), 3) == [0, 4, 9]
    assert spread([1, 2], 3) == [1, 2]
