"""Mistakes of cuCIM in `filters` and `filters.rank`."""

from ..difference import Mistake

CORRECTED = {
    "skimage.filters:median": (
        Mistake(
            "images of 16 bits with more than 1024 grey values come out wrong",
            """\
The histogram algorithm of median overruns its shared memory for more than 1024 grey values.

Expected: the median. Footprints of more than 150 elements take this algorithm by default.
Observed: nearly all pixels are wrong. In filters/cuda/histogram_median.cu, HCoarseScan has
HIST_SIZE_FINE elements, which is always 32, but histogramMedianParCoarseLookupOnly writes
HIST_SIZE_COARSE elements, which is the number of grey values divided by 32. It needs the larger of
the two, and _check_shared_memory_requirement_bytes in filters/_median_hist.py, too.
""",
            """
image = np.random.default_rng(0).integers(0, 4096, (64, 64), np.uint16)
theirs = cs.filters.median(cp.asarray(image), cp.ones((15, 15)))
ours = ski.filters.median(image, np.ones((15, 15)))
(cp.asnumpy(theirs) != ours).mean() > 0.5
""",
        ),
        Mistake(
            "the histogram algorithm reads a count that another thread may have cleared",
            """\
A race in cuRankFilterMultiBlock: countAtMed is read and set to 0 with no barrier between.

Expected: `__syncthreads();` after `int leftOver = medPos - countAtMed;` in
filters/cuda/histogram_median.cu.
Observed: threads may look for different ranks, where those of a warp do not go in lockstep.
Seen on the simulator, not on a GPU. Sixteen-bit images, which we hand to the sorting algorithm for
the reason above, do not meet it; others do.
No example, since the simulator shows it in a mode of its own only: see cucim_races.md.
""",
        ),
    ),
    "skimage.filters:gaussian": (
        Mistake(
            "images in Fortran order are blurred into another layout",
            """\
_shmem_convolve1d writes any output as if it were C-contiguous.

Expected: the blurred image. The same goes for all that is built on ndi.convolve1d,
correlate1d and gaussian_filter1d.
Observed: values in wrong places, where the image or out is not C-contiguous.
`_shmem_convolve1d` in filters/_separable_filtering.py makes the image contiguous and hands
the kernel the output as it is, given by the caller or made after the image.
""",
            """
image = np.random.default_rng(0).random((8, 9))
theirs = cs.filters.gaussian(cp.asarray(image, order="F"), 1)
not np.allclose(cp.asnumpy(theirs), ski.filters.gaussian(image, 1))
""",
        ),
        Mistake(
            "convolutions along an axis cannot write into their own image",
            """\
The path of _shmem_convolve1d for an output that overlaps the image does not work.

Expected: the convolved image, in output.
Observed: AttributeError, as `util._get_output(output.dtype, input)` in
filters/_separable_filtering.py is given Python's function `input` in place of image
(`cp.zeros_like(input)` above it, too). With that mended, `output[:] = temp` copies from the
caller's array into the temporary one, which by then is called output; it is to go the other way.
gaussian itself avoids it.
""",
            """
import cucim.skimage._vendored.ndimage as ndi
image = cp.asarray(np.random.default_rng(0).random((8, 9)))
try:
    failed = ndi.gaussian_filter1d(image, 1, output=image) is None
except AttributeError:
    failed = True
failed
""",
        ),
    ),
    "skimage.filters.rank:threshold_percentile": (
        Mistake(
            "the threshold is one rank too high where p0 times the pixels is an integer",
            """\
threshold_percentile takes another threshold than scikit-image.

Expected, as in scikit-image: the least value that a share of p0 of the window does not exceed,
element ceil(p0 * n) - 1 of the n sorted values.
Observed: element floor(p0 * n), `threshold_idx = (int)(p0 / 100.0 * n)` in
filters/rank/_rank_filter.py. The two are one wherever p0 * n is no integer.
""",
            """
image = np.arange(1, 10, dtype=np.uint8).reshape(3, 3)
footprint = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.uint8)
arrays = cp.asarray(image), cp.asarray(footprint)
theirs = cs.filters.rank.threshold_percentile(*arrays, p0=0.5)
ours = ski.filters.rank.threshold_percentile(image, footprint, p0=0.5)
int(theirs[1, 1]) == 0 and int(ours[1, 1]) == 255
""",
        ),
    ),
    "skimage.filters.rank:gradient_percentile": (
        Mistake(
            "the upper of the two values is one rank too low",
            """\
gradient_percentile subtracts from a lower value than scikit-image.

Expected, as in scikit-image: for p0 = 1 - p1, as many values are left out above as below: the
upper end is element n - ceil((1 - p1) * n) of the n sorted values, the lower one
ceil(p0 * n) - 1.
Observed: the upper end is element floor(p1 * n) - 1, `values[idx_end - 1]` in
filters/rank/_rank_filter.py: for 9 pixels, 0.2 and 0.8, elements 1 and 6 in place of 1 and 7.
""",
            """
image = (np.arange(9) ** 2).astype(np.uint8).reshape(3, 3)
footprint = np.ones((3, 3), np.uint8)
arrays = cp.asarray(image), cp.asarray(footprint)
theirs = cs.filters.rank.gradient_percentile(*arrays, p0=0.2, p1=0.8)
ours = ski.filters.rank.gradient_percentile(image, footprint, p0=0.2, p1=0.8)
int(theirs[1, 1]) == 6**2 - 1 and int(ours[1, 1]) == 7**2 - 1
""",
        ),
    ),
    "skimage.filters.rank:subtract_mean": (
        Mistake(
            "0 wraps around to the largest integer",
            """\
subtract_mean gives 255 where it should give 0.

Expected, as in scikit-image: (g - mean) / 2 + 127, then towards zero: 0 for g = 0, mean 255.
Observed: 255. The kernel adds 128 and casts, and subtract_mean in filters/rank/_generic.py takes
1 off the unsigned integers: `result -= 1`.
""",
            """
image = np.full((3, 3), 255, np.uint8)
image[1, 1] = 0
footprint = (image > 0).astype(np.uint8)
theirs = cs.filters.rank.subtract_mean(cp.asarray(image), cp.asarray(footprint))
ours = ski.filters.rank.subtract_mean(image, footprint)
int(theirs[1, 1]) == 255 and int(ours[1, 1]) == 0
""",
        ),
    ),
    "skimage.filters.rank:noise_filter": (
        Mistake(
            "another distance than scikit-image's where no neighbour is higher, or none lower",
            """\
noise_filter differs from scikit-image at the extrema of a window, and nothing tells so.

Expected, as in scikit-image: its search ends at 0 and at the largest grey value, and their
distances count as those of neighbours would: 255 - 250 = 5 in the example.
Observed: the distance to the nearest value that is there, 150. That may well be the better answer;
the table of differences in filters/rank/__init__.py says that results match otherwise.
""",
            """
image = np.full((3, 3), 100, np.uint8)
image[1, 1] = 250
footprint = np.ones((3, 3), np.uint8)
theirs = cs.filters.rank.noise_filter(cp.asarray(image), cp.asarray(footprint))
ours = ski.filters.rank.noise_filter(image, footprint)
int(theirs[1, 1]) == 150 and int(ours[1, 1]) == 5
""",
        ),
    ),
}
