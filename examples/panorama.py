"""
A panorama of three photographs
===============================

Three photographs of one scene overlap, each taken with the camera turned a little and at another
exposure. Corners that two of them share tell how one is to be seen from where the other was taken;
then all are brought to the frame of the middle one and put together.

``python panorama.py panorama.png`` also saves the panorama.
"""

import sys

import numpy as np
from skimage import color, data, feature, io, measure, transform, util

scene = color.rgb2gray(data.astronaut())

# %%
# The photographs: what the camera saw of the scene, brighter or darker, with some noise.
taken = {  # by which angle, tilt and column of the scene, and how bright
    "left": (-0.05, 0.0001, 35, 0.8),
    "middle": (0.0, 0.0, 120, 1.0),
    "right": (0.04, -0.0001, 195, 0.9),
}
rng = np.random.default_rng(3)
photographs = {}
for name, (angle, tilt, column, brightness) in taken.items():
    turned = [
        [np.cos(angle), -np.sin(angle), column],
        [np.sin(angle), np.cos(angle), 90],
        [tilt, 0, 1],
    ]
    seen = transform.warp(scene, transform.ProjectiveTransform(turned), output_shape=(320, 260))
    noise = rng.normal(0, 0.005, seen.shape)
    photographs[name] = np.clip(seen * brightness + noise, 0, 1)

# %%
# Corners, with 256 comparisons of pixels around each of them that tell one from another.
corners = {}
for name, photograph in photographs.items():
    detector = feature.ORB(n_keypoints=500, fast_threshold=0.04)
    detector.detect_and_extract(photograph)
    corners[name] = detector.keypoints[:, ::-1], detector.descriptors

# %%
# Pairs of corners that are alike, and what turns one photograph into the other: many of the pairs
# are wrong, so that the transform is looked for with which most of them agree.
into_middle = {"middle": transform.ProjectiveTransform()}
for name in ("left", "right"):
    pairs = feature.match_descriptors(corners["middle"][1], corners[name][1], cross_check=True)
    here, there = corners["middle"][0][pairs[:, 0]], corners[name][0][pairs[:, 1]]
    into_middle[name], agree = measure.ransac(
        (here, there),
        transform.ProjectiveTransform,
        4,
        residual_threshold=1,
        max_trials=2000,
        rng=1,
    )
    print(f"{name}: {len(pairs)} pairs of corners, of which {agree.sum()} agree")

# %%
# All in the frame of the middle one, with room at both sides. Where photographs overlap, their
# exposures are compared, and the mean of them is taken.
room = transform.SimilarityTransform(translation=(-130, -40))
layers, covered = [], []
for name, photograph in photographs.items():
    way = room + into_middle[name]
    layers.append(transform.warp(photograph, way, output_shape=(400, 530)))
    covered.append(transform.warp(np.ones_like(photograph), way, output_shape=(400, 530)) > 0.99)
for number in (0, 2):
    both = covered[number] & covered[1]
    layers[number] = layers[number] * (layers[1][both].mean() / layers[number][both].mean())
layers, covered = np.array(layers), np.array(covered)
panorama = (layers * covered).sum(axis=0) / np.maximum(covered.sum(axis=0), 1)

# %%
# How far is it from the scene, seen from the place of the middle photograph?
whole = room + transform.ProjectiveTransform([[1, 0, 120], [0, 1, 90], [0, 0, 1]])
truth = transform.warp(scene, whole, output_shape=panorama.shape)
several = covered.sum(axis=0) > 0
several &= truth > 0
print(f"{100 * several.mean():.0f} % of the frame is covered")
print(f"differs from the scene by {np.abs(panorama - truth)[several].mean():.3f} in the mean")

if len(sys.argv) > 1:
    io.imsave(sys.argv[1], util.img_as_ubyte(np.clip(panorama, 0, 1)))
