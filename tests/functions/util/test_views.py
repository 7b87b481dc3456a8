"""Views of device arrays share their memory and have the elements of scikit-image's."""

import numpy as np
import pytest
from skimage.util import crop, view_as_blocks, view_as_windows

RNG = np.random.default_rng(3)
LAYOUTS = [
    lambda array: array,
    lambda array: array.T,
    lambda array: array[::-1, ::2],
    lambda array: array[:, ::-2],
    lambda array: array[3:3],
]
CALLS = [
    (crop, 1),
    (crop, (2, 1)),
    (crop, ((0, 1), (2, 3))),
    (crop, 40),
    (crop, [[1, 2]]),
    (view_as_windows, 2),
    (view_as_windows, (3, 2), (2, 5)),
    (view_as_windows, (3, 2), 4),
    (view_as_blocks, (1, 2)),
    (view_as_blocks, (4, 3)),
]


def outcome(function, *args, **kwargs):
    """The result, or the type and the words of the exception."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("call", CALLS)
def test_a_view_is_scikit_images_in_the_same_memory(gpu, layout, call, enabled):
    import cupy as cp

    function, *args = call
    image = RNG.integers(0, 1000, (12, 24))
    expected = outcome(function, layout(image), *args)
    on_device = cp.asarray(image)
    found = outcome(function, layout(on_device), *args)
    if isinstance(expected, tuple):
        assert found == expected
        return
    np.testing.assert_array_equal(found.get(), expected)
    if found.size:
        assert found.strides == expected.strides
        on_device[...] = -1
        assert (found == -1).all()


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "no such"])
def test_a_cropped_copy_has_the_layout_that_was_asked_for(gpu, counting, order, enabled):
    import cupy as cp

    for image in (RNG.random((9, 12)), RNG.random((9, 12)).T):
        expected = outcome(crop, image, 2, copy=True, order=order)
        with counting() as counts:
            found = outcome(crop, cp.asarray(image), 2, copy=True, order=order)
        if isinstance(expected, tuple):
            assert found == expected
            continue
        assert counts.launches == 1
        assert found.strides == expected.strides
        np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize(
    "call",
    [
        (crop, 1.5),
        (crop, (1.5, 2.5)),
        (crop, (1, 2, 3)),
        (view_as_windows, 0),
        (view_as_windows, (3, 2), 0),
        (view_as_windows, (30, 2)),
        (view_as_blocks, [3, 4]),
        (view_as_blocks, (5, 4)),
        (view_as_blocks, (0, 4)),
    ],
)
def test_what_scikit_image_refuses_is_refused_in_its_words(gpu, call):
    import cupy as cp

    function, *args = call
    assert gpu.invalid(function, cp.zeros((12, 24)), *args)


def test_views_launch_nothing_and_numpy_arrays_stay(gpu, counting):
    import cupy as cp

    image = np.zeros((12, 24))
    for function, *args in CALLS[:2] + CALLS[5:]:
        assert gpu.declined(function, image, *args).endswith("nothing to change")
        with counting() as counts:
            gpu(function, cp.asarray(image), *args)
        assert counts.launches == 0
