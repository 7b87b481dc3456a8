"""
A volume that is larger than memory
===================================

A scan lies in chunks on the disk, as Zarr, and no process may hold all of it. Two worker processes
of Dask smooth it, separate grains from what is around them, number the grains and measure them. The
calls are those of any script, with `Dask arrays <../dask.html>`_ in and out; a backend is selected
outside of it: ``SKIMAGE_BACKENDS=gpu python out_of_core.py``.

The default is a small volume, which is measured in memory, too, and compared. ``out_of_core.py
1024`` makes one of 2.1 GB, for workers that have 0.8 GB each. On the simulator, whose device lies
in the workers' memory, it needs ``SKIMAGE_GPU_MEMORY_LIMIT=150M``: that call was run to its end.
"""

import re
import sys
import tempfile
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from skimage import filters, measure

side = int(sys.argv[1]) if len(sys.argv) > 1 else 96
chunk = max(side // 8, 48)


# %%
# The scan: grains, and noise. It is made and written chunk by chunk.
def grains(block_info):
    """A chunk of the scan."""
    here = block_info[None]
    noise = np.random.default_rng(here["chunk-location"]).normal(0, 300, here["chunk-shape"])
    z, y, x = (np.sin(np.arange(*ends) / 6) for ends in here["array-location"])
    bright = np.maximum(z[:, None, None] * y[:, None] * x, 0)
    return (2000 + 3000 * bright + noise).astype(np.uint16)


def scanned(path):
    """Dask array of the scan, which lies in a Zarr array."""
    nothing = np.empty((0, 0, 0), np.uint16)
    chunks = da.core.normalize_chunks(chunk, (side, side, side))
    return stored(da.map_blocks(grains, chunks=chunks, dtype=np.uint16, meta=nothing), path)


# %%
# What is needed twice is stored: else the workers would keep it from the first time to the second.
def stored(array, path):
    """Compute a Dask array, chunk by chunk, into a Zarr array; Dask array of that."""
    array.to_zarr(path)
    return da.from_zarr(path)


# %%
# The calls. Of Dask arrays nothing is computed here: the threshold is one without axes, and the
# table has one for each column.
def smoothed(scan):
    return filters.gaussian(scan, 2, preserve_range=True).astype(np.uint16)


def numbered(smooth):
    return measure.label(smooth > filters.threshold_otsu(smooth))


def measured(labels, scan):
    properties = ("label", "area", "bbox", "intensity_max")
    return measure.regionprops_table(labels, scan, properties=properties)


# %%
# Two workers; other clusters are used in the same way. A script that starts processes says where it
# begins.
def most_memory():
    """Megabytes that this process has held at most."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1000


if __name__ == "__main__":
    options = {"n_workers": 2, "threads_per_worker": 2, "memory_limit": "0.8GB"}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(**options, local_directory=folder, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        scan = scanned(f"{folder}/scan.zarr")
        smooth = stored(smoothed(scan), f"{folder}/smooth.zarr")
        labels = stored(numbered(smooth), f"{folder}/labels.zarr")
        (table,) = dask.compute(measured(labels, scan))
        megabytes = max(client.run(most_memory).values())
        if side <= 256:
            volume, found = np.asarray(scan), np.asarray(labels)

    print(f"{scan.nbytes / 1e6:.1f} MB in {scan.npartitions} chunks")
    print(f"{len(table['label'])} grains of {table['area'].mean():.0f} voxels")
    print(f"memory of a worker: at most {megabytes:.0f} MB")

    if side <= 256:
        in_memory = numbered(smoothed(volume))
        expected = measured(in_memory, volume)
        same = all(np.array_equal(table[name], expected[name]) for name in expected)
        print(f"labels are those of the volume in memory: {np.array_equal(found, in_memory)}")
        print(f"and the table is that of the volume in memory: {same}")
        seen, grains_seen = volume[side // 4], in_memory[side // 4]
