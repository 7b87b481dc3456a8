"""
How good is an ultrasound image?
================================

Speckle hides what an ultrasound image shows. Several images from different angles, added up, have
less of it. How much less is told by numbers of regions of interest: contrast, contrast-to-noise
ratio, structural similarity, and how many dark regions there seem to be where there are two cysts.

One function finds them, from arrays of NumPy, CuPy, PyTorch or JAX on a GPU: what scikit-image
gives back is of the caller's kind. ``python -m skimage_gpu_backend run ultrasound_quality.py``
tries those of them that are installed. ``python ultrasound_quality.py images.png 256 numpy`` saves
the last picture, of images of 256 pixels along an axis, and takes NumPy's arrays alone.
"""

# sphinx_gallery_thumbnail_number = -1

import functools
import importlib
import os
import sys

import numpy as np
from skimage import exposure, filters, io, measure, metrics, transform, util

side = int(sys.argv[2]) if len(sys.argv) > 2 else 128
selected = os.environ.get("SKIMAGE_BACKENDS")  # without a backend device arrays are not taken
wanted = sys.argv[3:] or ["numpy", *["cupy", "torch", "jax.numpy"] * bool(selected)]

# %%
# Two cysts in tissue. Their regions of interest, and one of the tissue between them.
rows, columns = (np.indices((side, side)) - (side - 1) / 2) / (side / 2)
tissue = np.ones((side, side))
regions = np.zeros((side, side), np.int32)
for column in (-0.45, 0.45):
    distance = np.hypot(rows, columns - column)
    tissue[distance < 0.3] = 0.15
    regions[distance < 0.24] = 1
regions[(np.abs(columns) < 0.1) & (np.abs(rows) < 0.8)] = 2


# %%
# An envelope of echoes, on a logarithmic scale of 40 dB. Echoes are as broad as the beam, and as
# short as the pulse.
def scanned(rng):
    echoes = [filters.gaussian(tissue * rng.normal(size=tissue.shape), (0.7, 1.4)) for _ in "ab"]
    return np.hypot(*echoes)


def shown_as(envelope):
    decibels = 20 * np.log10(envelope / envelope.max() + 1e-6)
    return exposure.rescale_intensity(decibels, in_range=(-40, 0), out_range=(0, 1))


rng = np.random.default_rng(0)
frames = [scanned(rng) for _ in range(8)]
images = {
    "single": shown_as(frames[0]).astype(np.float32),
    "compound": shown_as(np.mean(frames, axis=0)).astype(np.float32),
}
reference = shown_as(filters.gaussian(tissue, (0.7, 1.4))).astype(np.float32)


# %%
# The numbers. No line of it knows of what kind the arrays are.
def quality(image, reference, regions):
    table = measure.regionprops_table(
        regions, image, properties=("intensity_mean", "intensity_std")
    )
    means, deviations = table["intensity_mean"], table["intensity_std"]
    small = transform.resize(image, (side // 2, side // 2), anti_aliasing=True)
    smooth = filters.gaussian(small, 2)
    dark = measure.label(smooth < filters.threshold_otsu(smooth))
    numbers = {
        "contrast": (means[1] - means[0]) / (means[1] + means[0]),
        "CNR": (means[1] - means[0]) / (deviations[1] ** 2 + deviations[0] ** 2) ** 0.5,
        "similarity": metrics.structural_similarity(image, reference, data_range=1),
        "dark regions": dark.max(),
    }
    return {name: float(number) for name, number in numbers.items()}, dark


# %%
# Which kinds of arrays are there? Those of a device are made of NumPy's.
def maker(name):
    """Function that makes an array of a library, on the device but for NumPy's; or None."""
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    if name == "torch":
        made = functools.partial(library.as_tensor, device="cuda")
        return made if library.cuda.is_available() else None
    if name == "jax.numpy":
        platform = next(iter(library.zeros(1).devices())).platform
        return library.asarray if platform == "gpu" else None
    return library.asarray


makers = {name: make for name in wanted if (make := maker(name))}

# %%
# The same numbers, whatever the arrays are, and labels of the same kind as the image.
found = {}
for kind, make in makers.items():
    for name, image in images.items():
        given = make(image)
        found[kind, name], dark = quality(given, make(reference), make(regions))
        assert type(dark) is type(given)
        told = ", ".join(f"{what} {number:.4g}" for what, number in found[kind, name].items())
        print(f"{kind}, {name}: {told}")

# %%
# Two kinds in one call are a mistake, and both are named.
refused = []
for kind, make in makers.items():
    if kind != "numpy":
        try:
            metrics.structural_similarity(images["single"], make(reference), data_range=1)
        except TypeError as error:
            refused.append(str(error))
            print(error)

# %%
# One image, eight of them added up, and what would be seen without speckle.
shown = np.hstack([*images.values(), reference])
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(shown))
