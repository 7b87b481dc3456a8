"""All properties of all regions at once, as arrays of a row each."""

import functools

import numpy as np

from ...devices import xp
from ._region_shapes import NotHere, Shapes, centre, hu, normalized, objects

__all__ = ["Columns", "NotHere"]

_SINGLE = np.finfo(np.float32)


class Columns(Shapes):
    """Properties by the names that scikit-image's `RegionProperties` gives them.

    Each is computed when it is first asked for, from sums of one pass over all regions, and has a
    row for each region. What cannot be raises `NotHere`.

    Parameters
    ----------
    regions : Regions
    intensity : cupy.ndarray or None
        Channels along an axis behind those of the labels, where there are any.
    spacing : numpy.ndarray
        Of pixels along each axis.
    offset : numpy.ndarray
        Coordinates of the first pixel.
    """

    def __init__(self, regions, intensity, spacing, offset):
        super().__init__(regions, spacing, offset)
        self._intensity = intensity
        self._with_channels = intensity is not None and intensity.ndim > self.ndim

    @property
    def image_intensity(self):
        places, inside = self._crops.places()
        values = self._intensity.reshape(-1, *self._intensity.shape[self.ndim :])[places]
        inside = inside.reshape(-1, *(1,) * (values.ndim - 1))
        return objects(self._crops.split(values * inside))

    @functools.cached_property
    def _values(self):
        """The intensities, with channels along the last axis."""
        image = self._intensity
        if image.dtype.kind == "f" and not bool(xp.isfinite(image).all()):
            raise NotHere("intensity_image has NaN or infinite values")
        return xp.ascontiguousarray(image if self._with_channels else image[..., None])

    def _as_given(self, values):
        """Without an axis of channels where the image has none."""
        return values if self._with_channels else values[..., 0]

    def _in_precision(self, values):
        """In double, but rounded as NumPy does whose means of an image are of its own dtype."""
        dtype = self._intensity.dtype
        return values.astype(dtype).astype(float) if dtype.kind == "f" else values

    @functools.cached_property
    def _sums(self):
        sums, least, largest = self._regions.intensities(self._values)
        if self._intensity.dtype.itemsize < 8 and (np.abs(sums) > _SINGLE.max / 2).any():
            raise NotHere("intensity_image has sums that its dtype does not hold")
        return sums, least, largest

    @property
    def intensity_min(self):
        return self._as_given(self._sums[1])

    @property
    def intensity_max(self):
        return self._as_given(self._sums[2])

    @functools.cached_property
    def _spread(self):
        """Means, and the sums of squares of distances from them."""
        counts = self.num_pixels[:, None]
        means = self._sums[0] / counts
        rest, squares = self._regions.spreads(self._values, means)
        return means + rest / counts, squares

    @property
    def intensity_mean(self):
        return self._as_given(self._in_precision(self._spread[0]))

    @property
    def intensity_std(self):
        if self._intensity.dtype.char == "e":
            raise NotHere("NumPy adds up squares in half precision")
        squares = self._spread[1]
        if self._intensity.dtype.char == "f" and (
            (squares > _SINGLE.max / 2).any() or ((squares > 0) & (squares < 1e-30)).any()
        ):
            raise NotHere("intensity_image has squares that its dtype does not hold")
        variance = self._in_precision(squares / self.num_pixels[:, None])
        return self._as_given(self._in_precision(np.sqrt(variance)))

    @property
    def intensity_median(self):
        odd, found = self.num_pixels % 2 == 1, []
        for channel in range(self._values.shape[-1]):
            below, above = self._regions.middles(self._values[..., channel].ravel())
            means = np.mean(np.stack((below, above)), axis=0)
            found.append(np.where(odd, below.astype(means.dtype), means).astype(float))
        return self._as_given(np.stack(found, axis=-1))

    @functools.cached_property
    def moments_weighted(self):
        return self._as_given(self._regions.moments(3, self._spacing, image=self._values))

    @functools.cached_property
    def centroid_weighted_local(self):
        known = vars(self).get("moments_weighted")
        if known is None:
            known = self._as_given(self._regions.moments(1, self._spacing, image=self._values))
        return centre(known, self.ndim)

    @property
    def centroid_weighted(self):
        corners = self._regions.boxes[0] * self._spacing
        centres = self.centroid_weighted_local
        return centres + corners.reshape(corners.shape + (1,) * (centres.ndim - 2))

    @functools.cached_property
    def moments_weighted_central(self):
        centres = self.centroid_weighted_local
        if not np.isfinite(centres).all():
            raise NotHere("intensity_image adds up to 0 in a region")
        return self._as_given(self._regions.moments(3, self._spacing, centres, self._values))

    @functools.cached_property
    def moments_weighted_normalized(self):
        return normalized(self.moments_weighted_central, self.ndim, min(self._spacing))

    @property
    def moments_weighted_hu(self):
        return hu(self.moments_weighted_normalized)
