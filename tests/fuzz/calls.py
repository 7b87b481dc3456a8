"""One random call, from the sweep of a function or method."""

import copy
import functools
import itertools
import numbers
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields

import numpy as np

from skimage_gpu_backend.adapt.values import replace
from tests.differential.inputs import Input
from tests.differential.sweep import MethodSweep

from .arrays import FULL, Array, array, as_listed, new_shapes, small
from .of_methods import parameters, places
from .options import ROWS, SWEEP, holds_arrays, listed, wrong

# Where scikit-image looks beyond the memory of arrays that do not fit: these parameters have the
# image's shape or dtype, or, of functions, all arrays those of the sweep and options its values.
_OF_IMAGES_SHAPE = {"skimage.filters.rank": ("mask", "out")}
_DRAWN = "skimage.draw:polygon"  # looks at each pixel around its corners, however far they are
_AS_LISTED = (
    _DRAWN,
    "skimage.feature:corner_orientations",
    "skimage.feature:haar_like_feature",
    "skimage.feature:multiblock_lbp",
    *(
        f"skimage.graph:{kind}.find_costs"
        for kind in ("MCP", "MCP_Connect", "MCP_Flexible", "MCP_Geometric")
    ),
)
_OF_IMAGES_DTYPE = {"skimage.filters:median": "out"}  # where the image is a row
_NARROW = ("skimage.restoration:denoise_bilateral",)  # differences that its integers do not hold
_COLORED = "skimage.draw:set_color"  # looks beyond the shape of a line
_BOXES = "skimage.feature:CENSURE.detect"
_UNWRAP = "skimage.restoration:unwrap_phase"
_BALL = "skimage.restoration:rolling_ball"  # a large one takes scikit-image minutes in volumes
_FINITE = (
    *(f"skimage.morphology:{name}" for name in ("h_maxima", "h_minima", "reconstruction")),
    _UNWRAP,
)
# Parameters whose arrays are those of the sweep in most calls: others are seldom taken.
_MOSTLY_AS_LISTED = {_COLORED: ("coords", "alpha")}
# Functions whose images keep the sweep's shapes in most calls, as those of methods do: others have
# too few points.
_MOSTLY_AS_LARGE = ("skimage.measure:ransac",)
# Parameters that have another listed value seldom: with it, or without what goes with it, few calls
# are for the device.
_SELDOM_LISTED = {
    "skimage.measure:ransac": (
        *("data", "model_class", "min_samples"),
        *("is_data_valid", "is_model_valid"),
    )
}


@dataclass(frozen=True)
class Same:
    """The object that another parameter has."""

    parameter: str


@dataclass(frozen=True, eq=False)
class Listed:
    """A value that a sweep lists, by its number there."""

    name: str
    parameter: str
    number: int

    @property
    def value(self):
        return listed(self.name, self.parameter)[self.number]


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a function, or of a method.

    Attributes
    ----------
    name : str
        As in the catalog.
    arguments : dict
        By name; `Array` and `Same` stand for arrays, `Listed` for a sweep's value. Names that
        begin with "self." make the object whose method is called.
    kind : {"numpy", "cupy"}
        Of the arrays.
    positional : int
        How many of the leading arguments are given by position.
    classes : dict of str to str
        By parameter, for pairs.
    """

    name: str
    arguments: dict
    kind: str
    positional: int
    classes: dict = field(default_factory=dict)

    def made(self, xp=np) -> dict:
        """The arguments, by name."""

        def one(value, xp):
            if isinstance(value, Array):
                return value.made(xp)
            if isinstance(value, Listed):
                return copy.deepcopy(value.value)  # filters keep what calls make of them
            if type(value) is np.ndarray and xp is not np and value.dtype.kind in "biufc":
                return xp.asarray(value)
            return value

        made = {
            name: replace(value, functools.partial(one, xp=np if name.startswith("self.") else xp))
            for name, value in self.arguments.items()
        }
        for name, value in made.items():
            if isinstance(value, Same):
                made[name] = made.get(value.parameter)
            elif value is self.arguments[name] and isinstance(value, list | dict | set):
                made[name] = copy.deepcopy(value)  # functions change them, as `tol *= size`
        return made

    def by_position(self, made):
        """The arguments of the function, or method, as ``args`` and ``kwargs``."""
        given = itertools.takewhile(made.__contains__, places(self.name))
        leading = list(itertools.islice(given, self.positional))
        return (
            tuple(made[name] for name in leading),
            {
                name: value
                for name, value in made.items()
                if name not in leading and not name.startswith("self.")
            },
        )


@functools.cache
def _parameters(name):
    swept = [*SWEEP[name].call, *SWEEP[name].vary, *itertools.chain(*SWEEP[name].also)]
    # of ``**kwargs`` those that the sweep has
    return tuple(dict.fromkeys([*parameters(name), *swept]))


@functools.cache
def _takes_arrays(name, parameter):
    return parameter in ROWS[name].arrays or any(map(holds_arrays, listed(name, parameter)))


def call(name, pick) -> Call:
    """A call of a function of the catalog."""
    sweep, row = SWEEP[name], ROWS[name]
    kind = _kind(pick, sweep) if row.images else "numpy"
    # how many arguments are out of their range or of a wrong type: none, one, any
    way = (0, 0, 0, 0, 0, 0, 1, 1, 1, 2)[pick(10)]
    changes = [{}, *sweep.also]
    base = sweep.call | changes[pick(len(changes)) if pick(2) else 0]
    names = _parameters(name)
    astray = names[pick(len(names))] if way == 1 else None
    chosen, classes = {}, {}
    for parameter in names:
        value, told = _value(pick, name, parameter, base, way, parameter == astray)
        classes[parameter] = told
        if told != "left out":
            chosen[parameter] = value
    arguments = _with_arrays(pick, name, kind, chosen, classes)
    leading = list(itertools.takewhile(arguments.__contains__, places(name)))
    positional = len(leading) if pick(4) < 3 else pick(len(leading) + 1)
    if pick(16) == 15:
        _share(pick, row, arguments, classes)
    return Call(name, arguments, kind, positional, classes)


def _kind(pick, sweep):
    """Of the arrays: mostly CuPy's where the device takes no others."""
    if "numpy" in sweep.kinds:
        return ("numpy", "cupy")[pick(2)]
    return ("cupy", "numpy")[pick(8) == 7]


def _value(pick, name, parameter, base, way, astray):
    """A value, and its class; "left out" where the default counts."""
    values = listed(name, parameter)
    wild = way == 2 and not _takes_arrays(name, parameter) and pick(4) == 3
    if (astray or wild) and name not in _AS_LISTED and parameter != "self.kind":
        kind = ("boundary", "odd")[pick(2)]
        if astray and kind == "boundary" and _takes_arrays(name, parameter):
            kind = "odd"
        others = wrong(parameter, kind)
        return others[pick(len(others))], kind
    seldom = 32 if parameter in _SELDOM_LISTED.get(name, ()) else 4
    if parameter.startswith("self."):  # many, of which one may hide what others do
        seldom = 12
    if values and pick(seldom) == 3:
        return _listed(name, parameter, pick(len(values))), "listed"
    if parameter in base:
        value = base[parameter]
        number = next((n for n, other in enumerate(values) if other is value), None)
        return (value if number is None else _listed(name, parameter, number)), "usual"
    return None, "left out"


def _listed(name, parameter, number):
    value = listed(name, parameter)[number]
    return value if holds_arrays(value) else Listed(name, parameter, number)


def _with_arrays(pick, name, kind, chosen, classes):
    """The arguments with an `Array` for each array."""
    row, sweep = ROWS[name], SWEEP[name]
    arrays = []
    for parameter in row.images:
        replace(chosen.get(parameter), lambda item: arrays.append(item))
    arrays = [item for item in arrays if isinstance(item, Input | np.ndarray)]
    main = arrays[0].shape if arrays else ()
    changes = arrays and name not in _AS_LISTED
    if (name in _MOSTLY_AS_LARGE or isinstance(sweep, MethodSweep)) and pick(4) < 3:
        changes = False
    kept = [p for p in _MOSTLY_AS_LISTED.get(name, ()) if pick(4) < 3]
    new_shape = new_shapes(pick, main) if changes else (lambda shape: shape)
    fitting = _OF_IMAGES_SHAPE.get(name.partition(":")[0], ())

    def one(parameter, item):
        if not isinstance(item, Input | np.ndarray):
            return item
        if isinstance(item, np.ndarray) and item.dtype.kind not in "biufc":
            return item
        if not (isinstance(item, Input) or parameter in row.arrays) or (
            (name in _AS_LISTED and parameter not in row.images) or parameter in kept
        ):
            return as_listed(item)  # its values count
        shape = new_shape(main if parameter in fitting else item.shape)
        if shape == item.shape != main and parameter not in fitting:
            shape = small(pick, shape)
        if name == _COLORED and parameter == "image":
            shape += (1,) * (2 - len(shape))
        if name == _BOXES and parameter == "image":
            shape = _beyond_boxes(shape, chosen)
        made = array(pick, item, shape, sweep.dtypes, kind, out=parameter == "out")
        if name in _NARROW and made.dtype.startswith("int") and made.content in FULL:
            return replace_fields(made, content="ramp")
        if name == _UNWRAP:
            made = _modest(made, "wrap_around" in chosen)
        if name == _DRAWN:
            return _near(made)
        return _finite(made) if name in _FINITE else made

    arguments = {}
    for parameter, value in chosen.items():
        arguments[parameter] = replace(value, functools.partial(one, parameter))
        if isinstance(arguments[parameter], Array):
            classes[parameter] = arguments[parameter].classes
    like = [item for item in arrays if isinstance(item, Input) or item.dtype.kind in "biufc"]
    if "out" in classes and "out" not in arguments and like and pick(8) == 7:
        arguments["out"] = array(pick, like[0], new_shape(main), sweep.dtypes, kind, out=True)
        classes["out"] = arguments["out"].classes
    image, other = arguments.get("image"), _OF_IMAGES_DTYPE.get(name)
    both = isinstance(image, Array) and isinstance(arguments.get(other), Array)
    if both and len(image.shape) == 1:
        arguments[other] = replace_fields(arguments[other], dtype=image.dtype)
    if name == _BALL and len(getattr(image, "shape", ())) > 2 and "kernel" not in arguments:
        arguments["radius"] = 5
    return arguments


def _beyond_boxes(shape, chosen):
    """The shape of an image in which boxes of all scales have room."""
    mode, largest = (chosen.get(f"self.{each}") for each in ("mode", "max_scale"))
    mode, largest = (each.value if isinstance(each, Listed) else each for each in (mode, largest))
    if str(mode).lower() not in ("none", "dob") or len(shape) - shape.count(1) != 2:
        return shape
    least = 4 * int(largest) + 1 if isinstance(largest, numbers.Real) and 0 < largest < 99 else 29
    return tuple(n if n == 1 else max(n, least) for n in shape)


def _modest(made, is_joined):
    """The array with which scikit-image's edges and its sort stay in their memory.

    That is, without squares that overflow, and with three elements along axes that may be joined.
    """
    content = "noise" if made.content == "huge" else made.content
    least = 3 if is_joined else 1
    return replace_fields(made, content=content, shape=tuple(max(n, least) for n in made.shape))


def _finite(made):
    """The array without infinity and NaN, with which scikit-image's loop may have no end."""
    made = replace_fields(made, special=())
    return made if np.isfinite(made.values()).all() else replace_fields(made, dtype="float64")


def _near(made):
    """The array with small values in the place of large ones that are pixels' places."""
    with np.errstate(all="ignore"):
        far = np.abs(made.values().astype(complex))
    if np.any((far > 1000) & (far < 2.0**63)):
        return replace_fields(made, content="ramp", special=())
    return made


def _share(pick, row, arguments, classes):
    """Let one parameter have the array of another."""
    arrays = (name for name in row.arrays if isinstance(arguments.get(name), Array))
    given = [name for name in arrays if name != "corners"]  # read wherever they are
    if "out" in classes and "out" not in given and given:
        given.append("out")
    if len(given) > 1:
        source, target = given[0], given[1 + pick(len(given) - 1)]
        arguments[target] = Same(source)
        classes[target] = f"same as {source}"
