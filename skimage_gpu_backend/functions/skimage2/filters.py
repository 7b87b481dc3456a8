"""skimage2.filters: functions that differ from those of skimage.filters."""

from ..filters import gaussian as skimage


def gaussian(
    image,
    sigma=1.0,
    *,
    mode="nearest",
    cval=0,
    truncate=4.0,
    channel_axis=None,
    out=None,
):
    """Gaussian filter: `skimage2.filters.gaussian`, which preserves the range of values.

    Launches are those of `skimage.filters.gaussian`.
    """
    return skimage.gaussian(
        image,
        sigma,
        mode=mode,
        cval=cval,
        preserve_range=True,
        truncate=truncate,
        channel_axis=channel_axis,
        out=out,
    )
