"""What is left out is what other cases have shown."""

import itertools

from tests.thinning import each_value, pairwise, spread


def test_all_pairs_of_values_meet_in_fewer_rows():
    rows = list(itertools.product("abcd", range(5), ("x", "y", "z"), (True, False)))
    kept = [rows[n] for n in pairwise(rows)]
    assert len(kept) < len(rows) / 2
    for one, other in itertools.combinations(range(4), 2):
        assert {(r[one], r[other]) for r in kept} == {(r[one], r[other]) for r in rows}


def test_two_parameters_meet_in_every_way():
    rows = list(itertools.product("abc", "de"))
    assert list(pairwise(rows)) == list(range(6))


def test_each_value_is_met_in_fewer_rows():
    rows = list(itertools.product("abcd", range(5)))
    kept = [rows[n] for n in each_value(rows)]
    assert len(kept) < len(rows) / 2
    assert [set(column) for column in zip(*kept, strict=True)] == [set("abcd"), set(range(5))]


def test_a_few_are_spread_over_all():
    assert spread(list(range(10)), 3) == [0, 4, 9]
    assert spread([1, 2], 3) == [1, 2]
