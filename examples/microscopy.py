"""
Cells from a file to a table
============================

A microscope wrote fields of view with two channels, nuclei and fibres, into a TIFF file. The light
is not even. Each nucleus is to be found, with the length of the fibres around it.

The stack is measured field by field, and then once more from Zarr with Dask, which holds a few
fields at a time: a plate of thousands is measured by the same lines.

``python microscopy.py cells.png`` also saves the last picture, ``python microscopy.py cells.png
1024`` measures fields of 1024 pixels along an axis.
"""

# sphinx_gallery_thumbnail_number = -1

import sys
import tempfile
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import tifffile
from skimage import color, draw, filters, io, measure, morphology, segmentation, util

FIELDS, SIDE = 3, int(sys.argv[2]) if len(sys.argv) > 2 else 192
MORE = max(SIDE // 192, 1) ** 2  # cells than there are in a small field


# %%
# The file. Nuclei are discs, fibres are bent lines; light falls off towards the edges, and photons
# are counted.
def seen(number):
    """A field of view: nuclei and fibres, (2, SIDE, SIDE) of uint16."""
    rng = np.random.default_rng(number)
    field = np.zeros((2, SIDE, SIDE))
    for y, x in rng.uniform(0, SIDE, (14 * MORE, 2)):
        field[0][draw.ellipse(y, x, *rng.uniform(7, 11, 2), shape=field[0].shape)] = 1
    for y, x in rng.uniform(0, SIDE, (10 * MORE, 2)):
        turns = np.cumsum(rng.normal(0, 0.08, 120)) + rng.uniform(0, 2 * np.pi)
        rows, columns = y + np.cumsum(np.sin(turns)), x + np.cumsum(np.cos(turns))
        inside = (rows >= 0) & (rows < SIDE) & (columns >= 0) & (columns < SIDE)
        field[1][rows[inside].astype(int), columns[inside].astype(int)] = 1
    lines = np.linspace(-1, 1, SIDE) ** 2
    light = 1 - 0.35 * (lines[:, None] + lines)
    blurred = np.stack([filters.gaussian(field[0], 1.5), 4 * filters.gaussian(field[1], 1)])
    return rng.poisson(light * (300 + 1500 * blurred)).astype(np.uint16)


folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "plate.tif"
tifffile.imwrite(path, np.stack([seen(number) for number in range(FIELDS)]), metadata=None)
stack = tifffile.imread(path).reshape(FIELDS, 2, SIDE, SIDE)


# %%
# Flat field: what all fields have in common, far smoother than a cell.
def light_of(stack):
    """Light on each pixel, 1 on the mean."""
    dim = filters.gaussian(stack.mean(axis=(0, 1)), SIDE / 6, mode="nearest")
    return dim / dim.mean()


# %%
# Nuclei are bright. A watershed from the middle of each takes apart those that touch.
def nuclei_of(plane):
    smooth = filters.gaussian(plane, 2)
    bright = smooth > filters.threshold_otsu(smooth)
    bright = morphology.remove_small_objects(bright, max_size=60)
    middle = filters.gaussian(bright, 4)
    seeds = measure.label(morphology.h_maxima(middle, 0.02))
    return segmentation.watershed(-middle, seeds, mask=bright)


# %%
# Fibres are ridges. Their skeleton is as long as they are.
def fibres_of(plane):
    ridges = filters.sato(plane, sigmas=(1, 2), black_ridges=False)
    strong = filters.threshold_otsu(ridges)
    found = filters.apply_hysteresis_threshold(ridges, 0.6 * strong, 1.2 * strong)
    return morphology.skeletonize(morphology.remove_small_objects(found, max_size=30))


# %%
# A cell is what lies nearest to a nucleus, up to 20 pixels. Its row has the nucleus's size and
# brightness, and the fibre in it.
def cells_of(field, light):
    """Table of the cells of a field; the nuclei and the fibres."""
    of_nuclei, of_fibres = field / light
    nuclei, fibres = nuclei_of(of_nuclei), fibres_of(of_fibres)
    cells = segmentation.expand_labels(nuclei, distance=20)
    properties = ("label", "area", "centroid", "intensity_mean")
    table = measure.regionprops_table(nuclei, of_nuclei, properties=properties)
    inside = measure.regionprops_table(cells, fibres, properties=("area", "intensity_mean"))
    table["fibre"] = inside["area"] * inside["intensity_mean"]
    return table, nuclei, fibres


light = light_of(stack)
found = [cells_of(field, light) for field in stack]
for number, (table, *_) in enumerate(found):
    print(
        f"field {number}: {len(table['label'])} nuclei of {table['area'].mean():.0f} pixels, "
        f"{table['fibre'].sum():.0f} pixels of fibre by them"
    )

# %%
# The same from chunks on the disk. The mean and its Gaussian stay lazy; a field is a task.
stored = da.from_array(stack, chunks=(1, 2, SIDE, SIDE))
stored.to_zarr(f"{folder.name}/plate.zarr")
plate = da.from_zarr(f"{folder.name}/plate.zarr")
light_of_plate = light_of(plate)
tasks = [dask.delayed(cells_of)(field, light_of_plate) for field in plate]
tables = [table for table, *_ in dask.compute(*tasks)]
same = all(
    np.array_equal(table[name], expected[name])
    for table, (expected, *_) in zip(tables, found, strict=True)
    for name in expected
)
print(f"from Zarr, a field at a time: the same tables: {same}")
folder.cleanup()

# %%
# Nuclei in colours, fibres in white.
_, nuclei, fibres = found[0]
plane = stack[0, 0] / stack[0, 0].max()
picture = color.label2rgb(nuclei, plane, bg_label=0)
picture = segmentation.mark_boundaries(picture, fibres.astype(int), color=(1, 1, 1), mode="inner")
if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(picture))
