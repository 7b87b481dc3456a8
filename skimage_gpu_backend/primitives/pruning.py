"""Of blobs that overlap, those that scikit-image keeps; on the host."""

import itertools
import math

import numpy as np

from ..scikit_image import private


def pruned(blobs, overlap, axes):
    """Blobs without those that a larger one covers in part.

    Shares are counted for all pairs at once, in the blobs' precision; only their outcome is gone
    through in scikit-image's order, in which a blob that went before covers none.

    Parameters
    ----------
    blobs : ndarray of shape (n, axes + sigmas)
        Places, and sigmas along all axes or one for all, above 0.
    overlap : float
        Share of the smaller one's area or volume that may be covered.
    axes : int
        Of the image.

    Returns
    -------
    ndarray
        Rows of `blobs`.

    Notes
    -----
    Source: scikit-image, `skimage.feature.blob._prune_blobs`.
    """
    from scipy.spatial import cKDTree

    near = cKDTree(blobs[:, :axes]).query_pairs(2 * blobs[:, axes:].max() * math.sqrt(axes))
    # a set's order decides which of three goes
    pairs = np.fromiter(itertools.chain.from_iterable(near), np.intp, 2 * len(near)).reshape(-1, 2)
    size = blobs[:, -1]
    gone = np.zeros(len(blobs), bool)
    for i, j in pairs[_covered(blobs, axes, pairs, overlap)].tolist():
        if not (gone[i] or gone[j]):
            gone[j if size[i] > size[j] else i] = True
    return blobs[~gone]


def _covered(blobs, axes, pairs, overlap):
    """Which pairs share more than `overlap`."""
    places, sigmas = blobs[:, :axes], blobs[:, axes:]
    shares = np.zeros(len(pairs))
    if axes > 3 or not len(pairs):
        return shares > overlap
    first, second = pairs.T
    swap = sigmas[first, -1] > sigmas[second, -1]
    larger, smaller = np.where(swap, (first, second), (second, first))
    scale = sigmas[larger] * math.sqrt(axes)
    squares = (places[second] / scale - places[first] / scale) ** 2
    distance = np.sqrt(sum(squares.T[1:], start=squares[:, 0]))
    radius = sigmas[smaller, -1] / sigmas[larger, -1]
    inside = distance <= 1 - radius
    meets = ~inside & ~(distance > 1 + radius)
    of = _of_disks if axes == 2 else _of_spheres
    shares[inside] = 1
    shares[meets] = of(distance[meets].astype(float), radius[meets].astype(float))
    covered = shares > overlap
    # near the limit scikit-image decides: of arc cosines half of the digits count
    near = 30 * math.sqrt(np.finfo(distance.dtype).eps)
    for k in np.flatnonzero(meets & (np.abs(shares - overlap) <= near)):
        one, other = blobs[first[k]], blobs[second[k]]
        covered[k] = (
            private("feature.blob")._blob_overlap(one, other, sigma_dim=sigmas.shape[1]) > overlap
        )
    return covered


def _of_disks(d, r):
    """Share of a disk's area, of radius r, that one of radius 1 at a distance d covers."""
    angle = np.arccos(np.clip((d**2 + 1 - r**2) / (2 * d), -1, 1))
    other = np.arccos(np.clip((d**2 + r**2 - 1) / (2 * d * r), -1, 1))
    root = np.sqrt(np.abs((1 + r - d) * (d - r + 1) * (d + r - 1) * (d + r + 1)))
    return (angle + r**2 * other - 0.5 * root) / (math.pi * r**2)


def _of_spheres(d, r):
    """The same of a sphere's volume."""
    lens = (1 + r - d) ** 2 * (d**2 + 2 * d * (1 + r) - 3 * (1 + r**2) + 6 * r) / (12 * d)
    return lens / (4 / 3 * r**3)
