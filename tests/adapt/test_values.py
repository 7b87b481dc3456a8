"""Arrays inside tuples, lists and dicts."""

from collections import namedtuple

import numpy as np

from skimage_gpu_backend.adapt.values import replace

Pair = namedtuple("Pair", "first second")


def doubled(value):
    return value * 2 if isinstance(value, np.ndarray) else value


def test_containers_keep_their_type():
    one = np.ones(2)
    assert type(replace([one], doubled)) is list
    assert type(replace((one,), doubled)) is tuple
    pair = replace(Pair(one, "kept"), doubled)
    assert type(pair) is Pair
    assert pair.second == "kept"
    np.testing.assert_array_equal(pair.first, [2, 2])
    np.testing.assert_array_equal(replace({"a": [one]}, doubled)["a"][0], [2, 2])


def test_what_does_not_change_is_the_same_object():
    for value in ([1, (2, None)], {"mode": "reflect"}, "text", None):
        assert replace(value, doubled) is value


def test_an_object_that_holds_arrays_says_what_it_is_with_others():
    class Holder:
        def __init__(self, array):
            self.array = array

        def with_arrays(self, change):
            return Holder(change(self.array))

    (holder,) = replace([Holder(np.ones(2))], doubled)
    np.testing.assert_array_equal(holder.array, [2, 2])
