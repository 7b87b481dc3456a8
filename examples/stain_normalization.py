"""
Stains that look alike on every tile
====================================

Sections of one tissue differ in colour from laboratory to laboratory and from day to day. Three
published methods give tiles the colours of a reference tile: Reinhard's (mean and spread of each
channel in Lab), Macenko's (the directions of the two stains in optical density) and the matching of
histograms. All tiles are one array (N, H, W, C), and each gets what it needs by itself. How much is
launched does not depend on how many they are.

``python -m skimage_gpu_backend run stain_normalization.py`` takes arrays of NumPy, CuPy and PyTorch
on a GPU, those that are installed. ``python stain_normalization.py tiles.png 256 numpy`` saves the
last picture, of tiles of 256 pixels along an axis, and takes NumPy's arrays alone.

Where it runs is chosen by itself: device arrays where they lie, NumPy's on the current device if a
backend is selected and they are large enough, else on the CPU. ``SKIMAGE_BACKENDS=False``,
``CUDA_VISIBLE_DEVICES=1`` or ``with use_backends():`` choose otherwise.
"""

# sphinx_gallery_thumbnail_number = -1

import functools
import importlib
import os
import sys
import warnings

import numpy as np
from skimage import color, data, exposure, io, util

from skimage_gpu_backend import over

side = int(sys.argv[2]) if len(sys.argv) > 2 else 256
selected = os.environ.get("SKIMAGE_BACKENDS")  # without a backend device arrays are not taken
wanted = sys.argv[3:] or ["numpy", *["cupy", "torch"] * bool(selected)]

# %%
# 64 tiles of a section, each stained in another way. The reference is one of them as it was. No
# pixel is all black: there the density would have no end.
section = data.immunohistochemistry()
corners = np.linspace(0, len(section) - side, 8).astype(int)
cut = np.stack([section[y : y + side, x : x + side] for y in corners for x in corners])
strengths = np.random.default_rng(0).uniform(0.5, 1, (64, 1, 1, 3))
batch = np.maximum(255 * ((cut + 1) / 256) ** strengths, 1).astype(np.uint8)
target = np.maximum(cut[27], 1)


# %%
# Between scikit-image's functions the arrays calculate themselves, on the side where they are.
def library_of(array):
    return sys.modules[type(array).__module__.partition(".")[0]]


def beside(array, other):
    """A small NumPy array, on the side where another one is."""
    library = library_of(other)
    where = {"device": other.device} if library.__name__ == "torch" else {}
    return library.asarray(array, **where)


def on_host(array):
    array = array.cpu() if hasattr(array, "cpu") else array
    return array.get() if hasattr(array, "get") else np.asarray(array)


# %%
# Reinhard: each channel of Lab gets the mean and the spread that it has in the reference. Colours
# that are none in RGB are clipped.
warnings.filterwarnings("ignore", "Conversion from CIE-LAB.*clipped")


def moments(lab):
    mean = lab.mean(axis=(1, 2), keepdims=True)
    return mean, ((lab - mean) ** 2).mean(axis=(1, 2), keepdims=True) ** 0.5


def reinhard(tiles, reference):
    lab = color.rgb2lab(tiles)
    (mean, spread), (goal, wide) = moments(lab), moments(color.rgb2lab(reference[None]))
    return color.lab2rgb((lab - mean) / spread * wide + goal)


# %%
# Macenko: stains are the extreme directions in the plane of the two greatest variances of optical
# density, all but one percent of the pixels that are stained at all. What is most of each, all but
# one percent, is made as strong as in the reference. Sums, angles and percentiles of all tiles are
# found where the tiles are; a covariance and four numbers of each come to the host, which
# finds the planes and the matrices, 3 x 3 for each tile.
FAINT = 0.15 / -np.log(1e-6)  # of background, in scikit-image's unit of density


def percentiles(rows, wanted, counts):
    """Percentiles of the `counts` lowest values of each row, on the host."""
    ordered = library_of(rows).sort(rows)
    ordered = getattr(ordered, "values", ordered)  # PyTorch has their places, too
    at = np.asarray(wanted) / 100 * (counts - 1)
    ranks = np.stack([np.floor(at), np.ceil(at)]).astype(int)
    low, high = on_host(ordered[np.arange(len(rows))[:, None], ranks])
    return low + (at - ranks[0]) * (high - low)


def stains_of(density):
    """Colours of two stains in each image, (N, 2, 3), and how strong the two are, (N, 2, 1)."""
    number, pixels, _ = density.shape
    stained = (density > FAINT).all(axis=2)
    stained = stained | (stained.sum(axis=1, keepdims=True) < 3)  # of an empty image all pixels
    counts, weights = stained.sum(axis=1)[:, None, None], stained[..., None]
    around = weights * (density - (weights * density).sum(axis=1, keepdims=True) / counts)
    counts = on_host(counts)
    covariance = on_host(around.swapaxes(1, 2) @ around) / (counts - 1)
    plane = np.linalg.eigh(covariance)[1][..., :0:-1]
    plane = plane * np.where(plane.sum(axis=1, keepdims=True) < 0, -1, 1)

    seen, library = density @ beside(plane, density), library_of(density)
    angles = library.where(stained, library.arctan2(seen[..., 1], seen[..., 0]), np.inf)
    ends = percentiles(angles, (1, 99), counts[..., 0])
    colors = (plane @ np.stack([np.cos(ends), np.sin(ends)], axis=1)).swapaxes(1, 2)
    first = colors[:, :1, 0] > colors[:, 1:, 0]  # haematoxylin absorbs more red
    colors = np.where(first[..., None], colors, colors[:, ::-1])

    amounts = (density @ beside(np.linalg.pinv(colors), density)).swapaxes(1, 2)
    strongest = percentiles(amounts.reshape(-1, pixels), (99,), np.full((2 * number, 1), pixels))
    return colors, strongest.reshape(number, 2, 1)


def macenko(tiles, reference):
    density, wanted = (
        color.separate_stains(images, np.eye(3)).reshape(len(images), -1, 3)
        for images in (tiles, reference[None])
    )
    (own, strongest), (goal, strong) = stains_of(density), stains_of(wanted)
    change = np.linalg.pinv(own) @ (strong / strongest * goal)
    changed = (density @ beside(change, density)).reshape(tiles.shape)
    return color.combine_stains(changed, np.eye(3))


# %%
# Histograms: each channel of each tile gets the levels of the reference. `match_histograms` takes
# one image; `over` gives it a stack.
def matched(tiles, reference):
    match = functools.partial(exposure.match_histograms, reference=reference, channel_axis=-1)
    return over(tiles, match)


METHODS = {"Reinhard": reinhard, "Macenko": macenko, "histograms": matched}


# %%
# How far is the mean colour of a tile from that of the reference, in Lab? One pixel of 16 tells it.
def distance(tiles, reference):
    """Mean distance of the tiles' mean colours from the reference's."""
    means = [color.rgb2lab(i[:, ::4, ::4]).mean(axis=(1, 2)) for i in (tiles, reference[None])]
    return np.linalg.norm(on_host(means[0]) - on_host(means[1]), axis=1).mean()


def maker(name):
    """Function that makes an array of a library, on the device but for NumPy's; or None."""
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    if name == "torch":
        made = functools.partial(library.as_tensor, device="cuda")
        return made if library.cuda.is_available() else None
    return library.asarray


makers = {name: make for name in wanted if (make := maker(name))}
found = {}
for kind, make in makers.items():
    tiles, reference = make(batch), make(target)
    print(f"{kind}, as they are: {distance(tiles, reference):.2f} from the reference")
    for name, method in METHODS.items():
        normalized = method(tiles, reference)
        assert type(normalized) is type(tiles)
        print(f"{kind}, {name}: {distance(normalized, reference):.2f} from the reference")
        found[kind, name] = on_host(normalized)


# %%
# Is that what was published? The formulas for one tile, plainly.
RGB_TO_XYZ = [[0.412453, 0.35758, 0.180423], [0.212671, 0.71516, 0.072169]]
RGB_TO_XYZ = np.array([*RGB_TO_XYZ, [0.019334, 0.119193, 0.950227]])
WHITE = 0.95047, 1, 1.08883
LAB, BLACK = np.array([[0, 116, 0], [500, -500, 0], [0, 200, -200]]), np.array([16, 0, 0])


def reinhard_plainly(tile, reference):
    """Reinhard et al. 2001: l' = (l - mean) * spread of the target / spread + its mean, in Lab."""

    def to_lab(rgb):
        rgb = rgb / 255
        linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
        xyz = linear @ RGB_TO_XYZ.T / WHITE
        roots = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return roots @ LAB.T - BLACK

    def to_rgb(lab):
        roots = (lab + BLACK) @ np.linalg.inv(LAB).T
        roots[..., 2] = np.maximum(roots[..., 2], 0)
        xyz = np.where(roots > 0.2068966, roots**3, (roots - 16 / 116) / 7.787) * WHITE
        linear = xyz @ np.linalg.inv(RGB_TO_XYZ).T
        curved = 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055
        return np.clip(np.where(linear > 0.0031308, curved, 12.92 * linear), 0, 1)

    (own, goal), axes = map(to_lab, (tile, reference)), (0, 1)
    shape = (own - own.mean(axes)) * (goal.std(axes) / own.std(axes))
    return to_rgb(shape + goal.mean(axes))


def macenko_plainly(tile, reference):
    """Macenko et al. 2009: the robust extremes of the angle in the plane of optical density."""

    def stains(density):
        stained = density[(density > 0.15).all(axis=1)]
        first, second = np.linalg.eigh(np.cov(stained.T))[1].T[:0:-1]
        first = first * np.sign(first.sum())
        ends = np.percentile(np.arctan2(stained @ second, stained @ first), (1, 99))
        vectors = [np.cos(angle) * first + np.sin(angle) * second for angle in ends]
        vectors = np.array(sorted(vectors, key=lambda vector: -vector[0])).T
        amounts = np.linalg.lstsq(vectors, density.T)[0]
        return vectors, amounts, np.percentile(amounts, 99, axis=1, keepdims=True)

    densities = [-np.log(image.reshape(-1, 3) / 255) for image in (tile, reference)]
    (_, amounts, strongest), (vectors, _, strong) = map(stains, densities)
    density = vectors @ (amounts * (strong / strongest))
    return np.clip(np.exp(-density), 0, 1).T.reshape(tile.shape)


apart = {}
for name, plainly in {"Reinhard": reinhard_plainly, "Macenko": macenko_plainly}.items():
    expected = np.stack([plainly(tile, target) for tile in batch[::9]])
    apart[name] = max(np.abs(found[kind, name][::9] - expected).max() for kind in makers)
    print(f"{name}: {apart[name]:.0e} from the published formulas, of tones from 0 to 1")

# %%
# Eight of the tiles as they are, and in a row for each method.
by_lab, by_stains, by_levels = (found[next(iter(makers)), name][::9] for name in METHODS)
rows = [batch[::9], util.img_as_ubyte(by_lab), util.img_as_ubyte(by_stains), by_levels]
picture = np.vstack([np.hstack(row) for row in rows])
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], picture)
