"""The calls that are counted and timed: the standard ones of `tests/differential/sweeps`."""

import functools
import inspect
from dataclasses import replace

import numpy as np

from skimage_gpu_backend.catalog import CATALOG
from skimage_gpu_backend.scikit_image import function_called
from tests.differential.inputs import COLOR, Input, forget
from tests.differential.sweep import changed
from tests.differential.sweeps import SWEEPS

from .rows import VOLUMES

# The functions of `benchmarks.table`, and their images as `calls` names them.
TABLE = {
    "skimage.color:rgb2lab": "uint8 RGB",
    "skimage.exposure:equalize_adapthist": "uint8",
    "skimage.feature:canny": "float32",
    "skimage.filters:gaussian": "uint8, sigma=3",
    "skimage.filters:median": "uint8",
    "skimage.measure:label": "as it is",
    "skimage.metrics:structural_similarity": "uint8",
    "skimage.morphology:opening": "uint8",
    "skimage.restoration:denoise_tv_chambolle": "float32",
    "skimage.transform:resize": "float32, output_shape=0.5 times, anti_aliasing=True",
}
# Beside the standard call, where a parameter decides what is to be done; an output's shape and
# labels are those for the standard call's image, of 41 x 53 pixels.
_HALF, _TWICE = {"output_shape": (20, 26)}, {"output_shape": (82, 106)}
_FURTHER = {
    "skimage.filters:gaussian": ({"sigma": 3}, {"sigma": 8}),
    "skimage.filters:unsharp_mask": ({"radius": 5},),
    "skimage.filters:threshold_local": ({"block_size": 51},),
    "skimage.filters:threshold_sauvola": ({"window_size": 51},),
    "skimage.feature:canny": ({"sigma": 3},),
    "skimage.feature:peak_local_max": ({"labels": Input("labels")},),
    "skimage.metrics:structural_similarity": (
        {"gaussian_weights": True},
        {"full": True},
        {"gradient": True},
    ),
    "skimage.transform:warp": (
        {"order": 0},
        {"order": 3},
        *({"mode": mode} for mode in ("edge", "symmetric", "reflect", "wrap")),
        {"order": 3, "mode": "reflect"},
    ),
    "skimage.transform:resize": (
        {**_HALF, "anti_aliasing": True},
        {**_HALF, "anti_aliasing": False},
        _TWICE,
        {**_TWICE, "order": 3},
    ),
}


def _outline(side):
    """Rows and columns of a polygon with so many corners, on a circle as wide as the image."""
    angles = np.linspace(0, 2 * np.pi, side, endpoint=False)
    return side / 2 * (1 + np.sin(angles)), side / 2 * (1 + np.cos(angles))


def _fan(side):
    """A mesh with a vertex for each 64 pixels, and as many triangles of neighbours."""
    count = side**2 // 64
    return {
        "verts": Input("noise", (count, 3)),
        "faces": (np.arange(count)[:, None] + np.arange(3)) % count,
    }


# What of a call does not simply grow with its first image.
AT_SIDE = {
    "skimage.draw:polygon": lambda n: dict(zip("rc", _outline(n), strict=True)),
    "skimage.draw:polygon2mask": lambda n: {
        "image_shape": (n, n),
        "polygon": np.stack(_outline(n), axis=-1),
    },
    "skimage.feature:match_descriptors": lambda n: {
        f"descriptors{i}": Input("noise", (n, 256)) for i in (1, 2)
    },
    "skimage.measure:mesh_surface_area": _fan,
    "skimage.segmentation:join_segmentations": lambda n: {
        "s1": Input("labels", (n, n), "int64"),
        "s2": Input("grid", (n, n), "int64"),
    },
    "skimage.transform:hough_line_peaks": lambda n: {
        "hspace": Input("photo", (n, n)),
        "angles": np.linspace(-1.5, 1.5, n),
        "dists": np.arange(n) - n // 2,
    },
    "skimage.transform:ifrt2": lambda n: {"a": Input("photo", (n + 1, n))},
    "skimage.util:view_as_blocks": lambda n: {"block_shape": (4, 4)},
}
_WITH_CHANNELS = ("color", "lab", "far lab")
VOLUME = 160  # voxels a side


def named(names=()):
    """Sweeps of the functions whose names have one of these parts; all without any."""
    return [sweep for sweep in SWEEPS if not names or any(part in sweep.name for part in names)]


def of_table(names=()):
    """Function, images and arguments of each call of `TABLE`."""
    for sweep in named(names):
        if sweep.name in TABLE:
            yield sweep.name, TABLE[sweep.name], dict(calls(sweep))[TABLE[sweep.name]]


def standard_calls(names=()):
    """Function, images and arguments of each function's standard call in each dtype."""
    for sweep in named(names):
        for images, arguments in calls(sweep):
            if ", " not in images:
                yield sweep.name, images, arguments


def at_sizes(names, sides):
    """What identifies a row, and what makes the call's arguments: one size after the other.

    Standard calls with images of each side, then with volumes.
    """
    for side in sides:
        for name, images, arguments in standard_calls(names):
            yield (
                {"function": name, "images": images, "side": side},
                functools.partial(sized, name, arguments, side),
            )
            forget()
    for sweep in named(names):
        if arguments := volume(sweep, VOLUME):
            key = {"function": sweep.name, "images": VOLUMES, "side": VOLUME}
            yield key, lambda arguments=arguments: arguments
            forget()


def calls(sweep):
    """Yield what the images are and the standard call's arguments with them."""
    images = CATALOG[sweep.name].images
    first = _first(sweep)
    dtypes = [dtype for dtype in ("float32", "uint8") if dtype in sweep.dtypes]
    if first is None or not _floating(first) or not dtypes:
        yield "as it is", sweep.call
        return
    for dtype in dtypes:
        label = f"{dtype} RGB" if first.content == "color" else dtype
        call = changed(sweep.call, images, lambda i, d=dtype: i.cast(d) if _floating(i) else i)
        yield label, call
        for changes in _FURTHER.get(sweep.name, ()):
            told = ", ".join(_told(key, value, first) for key, value in changes.items())
            yield f"{label}, {told}", {**call, **changes}
    if _one_plane(first) and "channel_axis" in _parameters(sweep.name) and "uint8" in sweep.dtypes:
        color = COLOR.cast("uint8")
        rgb = changed(sweep.call, images, lambda i: color if _floating(i) else i)
        yield "uint8 RGB", {**rgb, "channel_axis": -1}


def volume(sweep, side):
    """The standard call in float32 with a volume in place of each plane, or None."""
    first = _first(sweep)
    if first is None or not _one_plane(first) or "float32" not in sweep.dtypes:
        return None

    def in_space(image):
        content = "noise" if image.content == "noise" else "smooth"
        return Input(content, (side,) * 3, "float32")

    return changed(sweep.call, CATALOG[sweep.name].images, in_space)


def sized(name, call, side):
    """The call with images of so many pixels along each side.

    What has the first image's shape grows with it; a footprint or a template does not. An
    output's shape keeps its ratio to the image's. Of coordinates there is one point for each 64
    pixels. What is in `AT_SIDE` is made for the side.
    """
    if CATALOG[name].images == ("coords",):
        return changed(call, ("coords",), lambda i: replace(i, shape=(side**2 // 64, 2)))
    shapes = []
    changed(call, call, lambda i: shapes.append(i.shape[:2]) or i)
    grows = shapes[:1] if CATALOG[name].images else []
    if "output_shape" in call:
        asked = zip(call["output_shape"], shapes[0], strict=True)
        call = {**call, "output_shape": tuple(round(side * new / old) for new, old in asked)}
    grown = changed(call, call, lambda i: i.sized(side) if i.shape[:2] in grows else i)
    at_side = AT_SIDE.get(name, lambda _: {})(side)
    return {**grown, **{key: _as_before(value, call[key]) for key, value in at_side.items()}}


def _as_before(value, before):
    """An image in the dtype that is asked for, where it has none of its own."""
    return value.cast(value.dtype or before.dtype) if isinstance(value, Input) else value


def _told(key, value, image):
    """What distinguishes a call, in words that hold for every size."""
    if key == "output_shape":
        return f"output_shape={value[0] / image.shape[0]:.1g} times"
    return f"{key}={getattr(value, 'content', value)}"


def _first(sweep):
    given = (sweep.call.get(parameter) for parameter in CATALOG[sweep.name].images)
    return next((value for value in given if isinstance(value, Input)), None)


def _floating(image):
    """Whether it has intensities, which can be given in any dtype; labels and masks cannot."""
    return image.array().dtype.kind == "f"


def _one_plane(image):
    return _floating(image) and len(image.shape) == 2 and image.content not in _WITH_CHANNELS


def _parameters(name):
    return inspect.signature(function_called(name)).parameters
