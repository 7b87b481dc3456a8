"""Reports about warps, blobs and moments."""

from ..difference import Mistake

CORRECTED = {
    "skimage.transform:warp": (
        Mistake(
            "with clip=None nothing is clipped",
            """\
warp never clips its output unless clip=True is given.

Expected, as the docstring says and as scikit-image does: clip=None clips where order > 1.
Observed: `_clip_warp_output` in transform/_warps.py returns at
`if (clip is None and order <= 1) or not clip`, and `not None` is true for every order. resize,
rescale and swirl resolve None before, or hand it on to warp.
""",
            """
image = np.zeros((16, 16))
image[4:12, 4:12] = 1
shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
theirs = cs.transform.warp(cp.asarray(image), cp.asarray(shift), order=3)
float(theirs.max()) > 1.01 and ski.transform.warp(image, shift, order=3).max() <= 1
""",
        ),
    ),
    "skimage.measure:moments_coords_central": (
        Mistake(
            "the caller's coordinates are changed",
            """\
moments_coords_central subtracts the centre from the array that it was given.

Expected, as in scikit-image: arguments are not changed.
Observed: `coords = coords.astype(float_type, copy=False)` is followed by `coords -= center` in
measure/_moments.py; coordinates in float64 (or float32) are the caller's own.
""",
            """
coordinates = cp.asarray([[0.0, 0.0], [2.0, 4.0]])
cs.measure.moments_coords_central(coordinates)
float(coordinates[0, 0]) != 0
""",
        ),
    ),
    "skimage.feature:blob_log": (
        Mistake(
            "which blobs are pruned depends on the order of threads",
            """\
blob_dog, blob_log and blob_doh prune overlapping blobs in parallel.

Expected, as in scikit-image: pairs are looked at one after the other; a blob that has been
removed removes no other.
Observed, by reading: the kernel `_prune_blobs` in feature/cuda/blob.cu lets each thread compare
its blob with the others while they are being marked as removed, without an order between
threads. With three or more blobs that overlap one another, what is left depends on who comes
first. No example: the outcome is a matter of scheduling.
""",
            "",
        ),
    ),
}
