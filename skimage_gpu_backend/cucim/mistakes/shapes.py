"""Mistakes of cuCIM in `morphology`, `restoration` and `segmentation`."""

from ..difference import Mistake

CORRECTED = {
    "skimage.morphology:local_maxima": (
        Mistake(
            "no maximum is found with a footprint that leaves its centre out",
            """\
local_maxima and local_minima need the centre of a footprint.

Expected, as in scikit-image: a pixel is compared with its neighbours; whether the footprint has
its centre makes no difference.
Observed: `candidates = image == image_max` in morphology/extrema.py, where the maximum is that of
the neighbours alone: single maxima are never among them. The footprint from the caller needs
its centre set.
""",
            """
image = np.array([[0, 0, 0], [0, 2, 0], [0, 0, 0]])
footprint = image == 0
theirs = cs.morphology.local_maxima(cp.asarray(image), cp.asarray(footprint))
not theirs.any() and ski.morphology.local_maxima(image, footprint).any()
""",
        ),
    ),
    "skimage.morphology:white_tophat": (
        Mistake(
            "the result is not written into out",
            """\
white_tophat leaves its parameter out as it is.

Expected, as documented: out is "the array to store the result of the morphology".
Observed: the result is another array. `out = opening(image, footprint, mode=mode, cval=cval)` in
morphology/gray.py does not hand out over, as black_tophat does it.
""",
            """
image = ski.data.coins()[:50, :60]
out = cp.full(image.shape, 7, np.uint8)
cs.morphology.white_tophat(cp.asarray(image), out=out)
bool((out == 7).all())
""",
        ),
    ),
    "skimage.morphology:reconstruction": (
        Mistake(
            "the seed is forgotten with a footprint that leaves its centre out",
            """\
reconstruction needs the centre of a footprint, and h_maxima and h_minima with it.

Expected, as in scikit-image, which itself crosses the centre out: nothing falls below the seed.
Observed: each step of the iterations in morphology/grayreconstruct.py is the maximum of the
neighbours alone. In the CPU path, `footprint[...] = False` crosses out the centre as it should.
""",
            """
seed = np.zeros((5, 5))
seed[2, 2] = 1
footprint = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
arrays = cp.asarray(seed), cp.asarray(seed)
theirs = cs.morphology.reconstruction(*arrays, footprint=cp.asarray(footprint))
ours = ski.morphology.reconstruction(seed, seed, footprint=footprint)
not theirs.any() and np.array_equal(ours, seed)
""",
        ),
    ),
    "skimage.morphology:convex_hull_object": (
        Mistake(
            "pixels on the border of a hull are lost",
            """\
convex_hull_object decides about pixels in single precision.

Expected, as in scikit-image and as in convex_hull_image, whose default it is: double precision.
Observed: float64_computation is False by default in morphology/convex_hull.py, and the tolerance
of 1e-10 is far below what single precision tells apart: pixels on an edge fall out. It shows in
images of at least 30000 pixels, below which scikit-image is called.
""",
            """
from skimage.draw import line
image = np.zeros((200, 200), bool)
image[line(76, 63, 114, 142)] = image[line(114, 142, 165, 104)] = True
theirs = cp.asnumpy(cs.morphology.convex_hull_object(cp.asarray(image)))
bool((ski.morphology.convex_hull_object(image) & ~theirs).any())
""",
        ),
    ),
    "skimage.restoration:rolling_ball": (
        Mistake(
            "integers of 32 bits are rounded to 24 bits",
            """\
rolling_ball computes integers of 32 bits in single precision.

Expected, as in scikit-image: float64 for integers.
Observed: `cp.float32 if image.dtype.itemsize <= 4` in restoration/_rolling_ball.py.
""",
            """
image = np.full((9, 9), 2**24 + 1, np.int32)
theirs = cs.restoration.rolling_ball(cp.asarray(image), radius=3)
int(theirs[4, 4]) == 2**24 and ski.restoration.rolling_ball(image, radius=3)[4, 4] == 2**24 + 1
""",
        ),
    ),
    "skimage.restoration:wiener": (
        Mistake(
            "is_real=False fails without reg",
            """\
wiener(is_real=False) needs a reg of the caller.

Expected, as in scikit-image: the default is the Laplacian.
Observed: ValueError, complex valued input is not supported. `laplacian` in restoration/uft.py
makes its kernel complex where is_real is False, and `ir2tf` then asks _supported_float_type for
its dtype, which refuses complex numbers. The kernel is real in either case.
""",
            """
image, psf = np.random.default_rng(0).random((8, 8)), np.ones((3, 3)) / 9
ski.restoration.wiener(image, psf, 0.1, is_real=False)
try:
    cs.restoration.wiener(cp.asarray(image), cp.asarray(psf), 0.1, is_real=False)
    failed = False
except ValueError:
    failed = True
failed
""",
        ),
    ),
    "skimage.segmentation:find_boundaries": (
        Mistake(
            'labels beyond 2**53 are rounded in the mode "subpixel"',
            """\
find_boundaries(mode="subpixel") finds boundaries within a label of 64 bits.

Expected, as in scikit-image: no boundary where there is one label.
Observed: `_find_boundaries_subpixel` in segmentation/boundaries.py compares what minimum_filter
gives, which goes through double precision as in SciPy, with what rank_filter gives, which does not.
mark_boundaries has it, too.
""",
            """
labels = np.full((2, 2), 2**53 + 1)
theirs = cs.segmentation.find_boundaries(cp.asarray(labels), mode="subpixel")
bool(theirs.all()) and not ski.segmentation.find_boundaries(labels, mode="subpixel").any()
""",
        ),
    ),
    "skimage.segmentation:morphological_chan_vese": (
        Mistake(
            "integer images are refused",
            """\
morphological_chan_vese fails for images of integers and booleans.

Expected, as in scikit-image: they are segmented.
Observed: TypeError, since `c0 /= float(...)` and `c1 /= float(...)` in segmentation/morphsnakes.py
divide in place: the sums are integer arrays without axes, where NumPy has scalars.
""",
            """
image = ski.data.coins()[:32, :32]
ski.segmentation.morphological_chan_vese(image, 1)
try:
    cs.segmentation.morphological_chan_vese(cp.asarray(image), 1)
    failed = False
except TypeError:
    failed = True
failed
""",
        ),
    ),
}
