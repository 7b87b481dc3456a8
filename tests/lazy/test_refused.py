"""What scikit-image refuses of Dask arrays is refused at once, in its own words."""

import numpy as np
import pytest
import skimage as ski

from skimage_gpu_backend import use_backends

da = pytest.importorskip("dask.array")
pytestmark = pytest.mark.thorough
IMAGE = np.random.default_rng(0).random((61, 50))


@pytest.mark.parametrize(
    ("function", "images", "options"),
    [
        (ski.filters.gaussian, [IMAGE], {"sigma": -1}),
        (ski.filters.sobel, [IMAGE], {"axis": 5}),
        (ski.filters.unsharp_mask, [IMAGE], {"radius": -2}),
        (ski.metrics.structural_similarity, [IMAGE, IMAGE], {}),
        (ski.metrics.structural_similarity, [IMAGE, IMAGE], {"data_range": 1, "win_size": 4}),
        (ski.metrics.mean_squared_error, [IMAGE, IMAGE[:9]], {}),
        (ski.metrics.contingency_table, [IMAGE, IMAGE], {}),
        (ski.color.rgb2lab, [IMAGE], {}),
        (ski.filters.rank.mean, [IMAGE], {"footprint": np.ones(3)}),
        (ski.measure.label, [IMAGE > 0.5], {"connectivity": 5}),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_errors_come_before_anything_is_computed(however_small, function, images, options):
    def never(block):
        raise AssertionError("computed before somebody asked for it")

    lazy = [
        da.from_array(image, 30).map_blocks(never, meta=np.empty((0, 0), image.dtype))
        for image in images
    ]
    with pytest.raises(Exception) as expected:
        function(*images, **options)
    with use_backends("gpu"), pytest.raises(Exception) as found:
        function(*lazy, **options)
    assert found.type is expected.type
    assert str(found.value) == str(expected.value)
