"""The arguments of a call: by name, which of them are images, and others in their place."""

from .adapt.kinds import kind_of
from .adapt.subclasses import is_subclass
from .scikit_image import parameter_places

_SCALARS = (bool, int, float, str)
_SEQUENCES = (list, tuple)


def images_of(row, name, args, kwargs):
    """Name and value of each image argument that is no scalar and not None.

    A list of arrays counts as several images.
    """
    places = parameter_places(name)
    images = []
    count = len(args)
    for parameter in row.images:
        place = places.get(parameter, count)
        value = args[place] if place < count else kwargs.get(parameter)
        if kind_of(value) is None:  # most are arrays
            if value is None or isinstance(value, _SCALARS):
                continue
            if type(value) in _SEQUENCES and value and all(map(_is_image, value)):
                images += [(parameter, item) for item in value]
                continue
        images.append((parameter, value))
    return images


def _is_image(value):
    return kind_of(value) is not None or is_subclass(value)


def may_hold_arrays(args, kwargs, images) -> bool:
    """Whether an argument beside the images is more than a number or a text."""
    count = len(images)
    for values in (args, kwargs.values()):
        for value in values:
            if value is not None and not isinstance(value, _SCALARS):
                count -= 1
    return count != 0


def is_array(value) -> bool:
    """Whether an argument is an array or several."""
    return kind_of(value) is not None or type(value) in _SEQUENCES


def given(name, parameter, args, kwargs):
    """What a call gives for a parameter of the function `name`; None where it gives nothing."""
    place = parameter_places(name).get(parameter, len(args))
    return args[place] if place < len(args) else kwargs.get(parameter)


def bound(name, args, kwargs):
    """Arguments by name, and those beyond the parameters that have one."""
    arguments = dict(zip(parameter_places(name), args, strict=False))
    return arguments | kwargs, args[len(arguments) :]


def replaced(name, args, kwargs, arrays):
    """`args` and `kwargs` with other values for the parameters in `arrays`."""
    places = parameter_places(name)
    args, kwargs = list(args), dict(kwargs)
    for parameter, array in arrays.items():
        place = places.get(parameter, len(args))
        if place < len(args):
            args[place] = array
        else:
            kwargs[parameter] = array
    return tuple(args), kwargs
