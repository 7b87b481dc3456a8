"""What rooms of histograms with channels share: the axis of the channels."""

import functools

from ...plan import Declined, Invalid


def channels_moved(images):
    """Decorator of functions whose channels scikit-image's `channel_as_last_axis` moves.

    It moves those of the first `images` arguments where they are given by position; with those
    given by keyword it does nothing.
    """

    def decorated(function):
        @functools.wraps(function)
        def planned(*args, channel_axis=None, **kwargs):
            if channel_axis is not None:
                if type(channel_axis) is not int:
                    raise Declined("channel_axis is not a plain integer")
                if len(args) < images and channel_axis != -1:
                    raise Declined(
                        "the channels of an image given by keyword are not moved by channel_axis"
                    )
            return function(*args, channel_axis=channel_axis, **kwargs)

        return planned

    return decorated


def refuse_axis(image, axis):
    """Refuse an axis of channels that the image does not have."""
    if not -image.ndim <= axis < image.ndim:
        raise Invalid("channel_axis exceeds the dimensions of the image")
