"""A planned call where an op is asked for: with the images as they are, or with tiles of them."""

from . import find


class Op:
    """Takes device arrays in scikit-image's signature.

    With the images that the plan was made for it runs the plan; with parts of them (tiles) it
    makes a plan for the part.

    Parameters
    ----------
    name : str
    plan : Plan
    row : Row
        Of the catalog.
    shape : tuple of int
        Of the first image.
    """

    __slots__ = ("_first", "_function", "_names", "_plan", "_shape")

    def __init__(self, name, plan, row, shape):
        self._function, self._plan, self._shape = find(name), plan, shape
        self._first, self._names = row.images[0], (*row.images, *row.beside, "out")

    def __call__(self, **arguments):
        arrays = {n: arguments[n] for n in self._names if arguments.get(n) is not None}
        if arrays[self._first].shape == self._shape:
            return self._plan.run(**arrays)
        image = arguments.pop(self._first)  # by position, as users call
        return self._function(image, **arguments).run(**arrays)
