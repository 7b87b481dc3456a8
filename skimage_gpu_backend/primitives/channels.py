"""The axis of the channels, as scikit-image's decorator `channel_as_last_axis` has it."""

import functools

import numpy as np

from ..trouble import Declined, Invalid


def channels_moved(images=1):
    """Decorator of functions whose channels scikit-image's `channel_as_last_axis` moves.

    It moves those of the first `images` arguments where they are given by position; with those
    given by keyword it does nothing, and then takes the last axis for that of the channels.
    """

    def decorated(function):
        @functools.wraps(function)
        def planned(*args, channel_axis=None, **kwargs):
            if channel_axis is not None:
                if not isinstance(channel_axis, int | np.integer) or isinstance(channel_axis, bool):
                    raise Declined("channel_axis is not an integer; give one, as -1")
                channel_axis = int(channel_axis)
                if len(args) < images and channel_axis != -1:
                    raise Declined(
                        "channel_axis is given and the image by its name, where scikit-image does "
                        "not look at channel_axis; give the image by position"
                    )
            return function(*args, channel_axis=channel_axis, **kwargs)

        return planned

    return decorated


def refuse_axis(image, axis):
    """Refuse an axis of channels that the image does not have."""
    if not -image.ndim <= axis < image.ndim:
        raise Invalid("channel_axis exceeds the dimensions of the image")
