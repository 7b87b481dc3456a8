"""
The surface of a porous solid
=============================

A scan of a porous solid shows, voxel by voxel, how much of it is solid. Marching cubes make a mesh
of triangles of the surface between solid and pores, and the mesh tells how large that surface is:
filters, catalysts and bones are judged by it.

``python surfaces.py solid.obj`` also saves the mesh, as Wavefront's OBJ, which most programs that
show meshes can read.
"""

import sys

import numpy as np
from skimage import data, filters, measure, morphology

spacing = (2.0, 1.0, 1.0)  # micrometres between planes, rows and columns
solid = data.binary_blobs(44, blob_size_fraction=0.3, n_dim=3, volume_fraction=0.45, rng=7)
noise = np.random.default_rng(7).normal(0, 0.2, solid.shape)
scan = solid + noise

# %%
# Noise would make a rough surface, which is larger than that of the solid.
smooth = filters.gaussian(scan, 1)
level = filters.threshold_otsu(smooth)
measured, smoothed = np.clip(scan[22], 0, 1), smooth[22]

# %%
# Grains that lie loose in the pores do not belong to the solid: the surface is only looked for
# where there are large pieces, and around them.
pieces = morphology.remove_small_objects(smooth > level, max_size=200)
depth = 1.0 * pieces.argmax(axis=0)  # of what is seen from above
near = morphology.dilation(pieces, np.ones((3, 3, 3), bool))
print(f"solid: {100 * pieces.mean():.1f} % of the volume")
print(f"Euler number: {measure.euler_number(pieces)}")

# %%
# The mesh, and its area. Coarser ones have fewer triangles, and lose a part of the area.
meshes = []
for step in (1, 2, 3):
    mesh = measure.marching_cubes(smooth, level, spacing=spacing, step_size=step, mask=near)
    vertices, faces, _, _ = mesh
    area = measure.mesh_surface_area(vertices, faces)
    per_volume = area / (smooth.size * np.prod(spacing))
    meshes.append(mesh)
    print(f"step {step}: {len(faces)} triangles, {per_volume:.4f} square micrometres a cubic one")

if len(sys.argv) > 1:
    with open(sys.argv[1], "w") as file:
        vertices, faces, _, _ = meshes[0]
        file.writelines(f"v {x:.4f} {y:.4f} {z:.4f}\n" for z, y, x in np.asarray(vertices))
        file.writelines(f"f {a} {b} {c}\n" for a, b, c in np.asarray(faces) + 1)
