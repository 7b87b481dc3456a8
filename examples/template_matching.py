"""
A molecule in a volume, and how it lies
=======================================

In a tomogram of a cell lie copies of a molecule that is known, turned in all directions, under
noise. The molecule is turned in many directions, too, and correlated with the volume each time:
where the correlation is highest lies a copy, and the best direction is its own.

``python template_matching.py found.png`` also saves the last picture, ``python
template_matching.py found.png 128`` searches a volume of 128 voxels along an axis.

Each call of ``match_template`` transforms volume and template anew: scikit-image has no other way.
The volume stays the same, though. So the program brings a backend of its own, the module
``kept_transforms`` beside it, which keeps the volume's transform; scikit-image finds it by its
entry points, as any that is installed. ``SKIMAGE_BACKENDS=kept,gpu python template_matching.py``
selects it, with arrays of CuPy: it runs ``match_template``, and ``gpu`` all other functions. The
volume goes to the device once. What crosses the bus for a direction is a matrix, and the peaks.

With ``SKIMAGE_BACKENDS=gpu SKIMAGE_GPU_RESIDENT=1`` kernels of this package match the templates,
and the arrays are NumPy's. Again the volume goes to the device once, and for each direction it is
told where the turned molecule's voxels come from.
"""

# sphinx_gallery_thumbnail_number = -1

import importlib
import os
import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(sys.argv[0]).parent / "kept_transforms"))  # where its entry points are
from skimage import feature, filters, io, transform, util

kept = "kept" in os.environ.get("SKIMAGE_BACKENDS", "")
xp = importlib.import_module("cupy" if kept else "numpy")
# voxels of the volume and of the molecule along an axis
size, side = int(sys.argv[2]) if len(sys.argv) > 2 else 36, 13


# %%
# Where do the voxels of turned molecules come from? A column of coordinates for each voxel,
# direction after direction: one call of ``warp`` turns the molecule in all of them.
def turned(molecule, directions):
    """The molecule in each of the directions, one above the other."""
    centre = (side - 1) / 2
    grid = xp.indices((side,) * 3).reshape(3, -1) - centre
    places = xp.asarray(directions.inv().as_matrix()) @ grid + centre
    places = xp.moveaxis(places, 0, 1).reshape(3, -1, side, side)
    return transform.warp(molecule, places, order=1)


# %%
# A molecule: seven blobs, which no turn lays over each other.
blobs = np.array(
    [[6, 6, 6], [6, 6, 9], [6, 6, 11], [6, 9, 6], [4, 8, 4], [9, 6, 6], [10, 4, 6]], float
)
z, y, x = np.indices((side,) * 3)
distances = [(z - a) ** 2 + (y - b) ** 2 + (x - c) ** 2 for a, b, c in blobs]
molecule = xp.asarray(np.exp(-np.array(distances) / 2).sum(axis=0))

# %%
# The volume: copies of the molecule, each in a direction of its own, and noise.
directions = Rotation.create_group("I")  # 60, no two of them closer than 72 degrees
planted = {(8, 9, 8): 0, (10, 27, 25): 7, (26, 9, 28): 23, (28, 26, 8): 42}
volume = xp.asarray(np.random.default_rng(0).normal(0, 0.25, (size,) * 3))
for place, number in planted.items():
    box = tuple(slice(at - side // 2, at + side // 2 + 1) for at in place)
    volume[box] += turned(molecule, directions[[number]])
volume = filters.gaussian(volume, 0.7)


# %%
# How many directions at a time? As many as fit beside the transforms of ``match_template``, for
# which some 20 numbers a voxel are kept free.
def free_bytes():
    """Bytes that are free on the device, or where there is none on this machine."""
    try:
        from skimage_gpu_backend import memory

        (device, *_) = memory()["devices"].values()
        return device["free"]
    except (ImportError, RuntimeError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


of_transforms = 20 * 8 * (size + side) ** 3
of_direction = 4 * 8 * side**3  # the molecule, and three coordinates
batch = int(np.clip((free_bytes() - of_transforms) // of_direction, 1, len(directions)))

# %%
# The search. A row for each peak: how high it is, which direction, and where. ``warp`` also reads
# the heights: were the host to look at the scores, they would cross the bus.
found = []
for first in range(0, len(directions), batch):
    templates = turned(molecule, directions[first : first + batch])
    for number in range(len(templates) // side):
        template = templates[number * side : (number + 1) * side]
        scores = feature.match_template(volume, template, pad_input=True)
        peaks = feature.peak_local_max(scores, min_distance=5, threshold_abs=0.6)
        if len(peaks):
            heights = transform.warp(scores, peaks.T.reshape(3, -1, 1, 1), order=0, clip=False)
            rows = zip(heights.ravel().tolist(), map(tuple, peaks.tolist()), strict=True)
            found += [(height, first + number, place) for height, place in rows]

# %%
# Of peaks that lie within a molecule of each other, the highest one is right.
copies = []
for height, number, place in sorted(found, reverse=True):
    if all(np.linalg.norm(np.subtract(place, other)) > side / 2 for _, _, other in copies):
        copies.append((height, number, place))
for height, number, place in copies:
    print(f"at {place} in direction {number}: correlation {height:.3f}")
right = sum(planted.get(place) == number for _, number, place in copies)
print(f"{len(copies)} copies, {right} of the {len(planted)} planted ones")

# %%
# The volume from above, and the copies that were found.
seen = volume.max(axis=0)
drawn = xp.zeros_like(volume)
for _, number, place in copies:
    box = tuple(slice(at - side // 2, at + side // 2 + 1) for at in place)
    drawn[box] += turned(molecule, directions[[number]])
drawn = drawn.max(axis=0)
shown = xp.clip(xp.hstack([seen / seen.max(), drawn / drawn.max()]), 0, 1)
shown = shown.get() if kept else shown
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(shown))
