"""Images: noise, and Hypothesis strategies for shapes, dtypes, memory layouts and odd values."""

import numpy as np
from hypothesis import strategies as st
from skimage import data

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
DTYPES = ("bool", *INTEGERS, *FLOATS)


def noise(rng, shape, dtype="float64"):
    """From 0 to 100, of signed types from -50 on; of booleans a third is True."""
    if dtype == "bool":
        return rng.random(shape) < 0.3
    low = -50 if np.dtype(dtype).kind in "if" else 0
    return (rng.random(shape) * (100 - low) + low).astype(dtype)


def meander(rows, columns):
    """One path that fills a plane, and crosses every border of tiles many times."""
    path = np.zeros((rows, columns), bool)
    path[::2] = True
    path[1::4, -1] = path[3::4, 0] = True
    return path


def low_contrast():
    """Planes of single precision whose numbers are large beside what they differ by."""
    rng = np.random.default_rng(9)
    planes = {
        "sky": data.camera()[:60, :90],
        "brick": data.brick()[:50, :90] / 1000 + 3,
        "noise": 1000 + rng.random((61, 93)),
        "faint": 1000 + rng.random((61, 93)) / 10,
        "below": -3e4 + 20 * rng.random((61, 93)),
    }
    return {name: plane.astype(np.float32) for name, plane in planes.items()}


def wild(noise):
    """Planes of noise of which single precision holds hardly all."""
    powers = 10.0 ** np.random.default_rng(9).integers(-30, 30, noise.shape)
    return {
        "flat": np.where(noise > 2, 1, 0.7),
        "huge": noise * 1e38,
        "wild": noise * powers,
        "tiny": noise * 1e-38,
        "subnormal": noise * 1e-44,
        "NaN": np.where(noise > 2.5, np.nan, noise),
        "infinity": np.where(noise > 2.5, np.inf, noise),
    }


shapes = st.lists(st.integers(1, 40), min_size=0, max_size=4).filter(lambda s: np.prod(s) < 20_000)


@st.composite
def images(draw, shape, dtype, *, special=()):
    """An image of `shape`: integers over their whole range or a part, floats in [-1, 1].

    `special` values (as NaN) are put at some places of floating images.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        image = rng.random(shape) < draw(st.sampled_from([0.5, 0.01, 1.0]))
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = draw(st.sampled_from([(limits.min, limits.max), (max(limits.min, -7), 90)]))
        image = rng.integers(low, high, shape, dtype, endpoint=True)
    else:
        image = rng.uniform(draw(st.sampled_from([-1, 0])), 1, shape).astype(dtype)
        for value in special:
            if draw(st.booleans()):
                image = np.where(rng.random(shape) < 0.1, dtype.type(value), image)
    return draw(layouts(np.asarray(image, dtype)))


@st.composite
def layouts(draw, image):
    """The same image, stored in one of the ways in which NumPy can store it."""
    way = draw(st.sampled_from(["C", "F", "reversed", "sliced", "shifted", "read-only"]))
    if image.ndim == 0:  # has but one
        return image
    if way == "F":
        return np.asfortranarray(image)
    if way == "reversed":
        return image[tuple(slice(None, None, -1) for _ in image.shape)]
    if way == "sliced":
        wide = np.zeros([2 * n + 1 for n in image.shape], image.dtype)
        view = wide[tuple(slice(1, None, 2) for _ in image.shape)]
        view[...] = image
        return view
    if way == "shifted":  # begins at an address that is a multiple of its item size only
        view = np.zeros(image.size + 1, image.dtype)[1:].reshape(image.shape)
        view[...] = image
        return view
    image = image.copy()
    image.flags.writeable = way != "read-only"
    return image
