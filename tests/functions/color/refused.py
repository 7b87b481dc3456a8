"""Calls that scikit-image refuses."""

import numpy as np
import pytest

IMAGE = np.full((6, 5, 3), 0.25, np.float32)


def refused(gpu, function, *args, **kwargs):
    """scikit-image raises, and the backend leaves it to scikit-image to raise."""
    with pytest.raises(Exception) as raised:
        function(*args, **kwargs)
    assert gpu.invalid(function, *args, **kwargs)
    return raised.type
