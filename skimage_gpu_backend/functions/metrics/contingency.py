"""skimage.metrics: how often labels of two images meet, and what is made of it.

Cost of every function here: CuPy sorts the pairs of labels, whatever these are; each image is read
once for its largest label and once for the pairs. The pairs that there are come to the host, with
their counts, where scikit-image's own formulas make the result of them.
"""

import numpy as np
from scipy import sparse

from ...device.lazy import cp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real, truth
from ...scikit_image import on_host
from ._pairs import refuse_unlike


def contingency_table(
    im_true, im_test, *, ignore_labels=None, normalize=False, sparse_type="matrix"
):
    """How often each two labels meet: `skimage.metrics.contingency_table`."""
    _refuse(im_true, im_test)
    if not isinstance(sparse_type, str) or sparse_type not in ("matrix", "array"):
        raise Invalid("sparse_type is unknown; give 'matrix' or 'array'")
    ignored, of_pixels = _ignored(ignore_labels), truth("normalize", normalize)

    def run(im_true, im_test):
        table = _table(im_true, im_test, ignored, of_pixels)
        return sparse.csr_matrix(table) if sparse_type == "matrix" else table

    return Plan(run)


def adapted_rand_error(
    image_true=None, image_test=None, *, table=None, ignore_labels=(0,), alpha=0.5
):
    """Error, precision and recall of a segmentation: `skimage.metrics.adapted_rand_error`."""
    _refuse_table(table)
    _refuse(image_true, image_test)
    if not is_real(alpha):
        raise Declined("alpha is not a number; give one, as 0.5")
    if alpha < 0 or alpha > 1:
        raise Invalid("alpha is not within 0 and 1; give such a number")
    ignored = _ignored(ignore_labels)

    def run(image_true, image_test):
        table = _table(image_true, image_test, ignored, False)
        return on_host("skimage.metrics:adapted_rand_error", table=table, alpha=alpha)

    return Plan(run)


def variation_of_information(image0=None, image1=None, *, table=None, ignore_labels=()):
    """Conditional entropies of two segmentations: `skimage.metrics.variation_of_information`."""
    _refuse_table(table)
    _refuse(image0, image1)
    ignored = _ignored(ignore_labels)

    def run(image0, image1):
        table = sparse.csr_matrix(_table(image0, image1, ignored, True))
        none = np.empty(0)  # of which nothing but its shape is asked
        return cp.asarray(
            on_host("skimage.metrics:variation_of_information", none, none, table=table)
        )

    return Plan(run)


def _refuse_table(table):
    if table is not None:
        raise Declined("table is a sparse matrix, which stays on the CPU; leave table out")


def _refuse(image0, image1):
    if image0 is None or image1 is None:
        raise Declined("images are not both given; give both")
    refuse_unlike(image0, image1)
    for image in (image0, image1):
        if image.dtype.kind not in "iu":
            raise Invalid(f"labels are {image.dtype}; give integers, as of image.astype(int)")
    if image0.size == 0 or image0.ndim == 0:
        raise Declined("images are empty, or have no axes; nothing to change")


def _ignored(labels):
    """Labels that do not count, as scikit-image compares them with those of the first image."""
    if labels is None:
        return np.empty(0, int)
    try:
        labels = np.asarray(labels)
    except (TypeError, ValueError):
        raise Invalid("ignore_labels is no list of labels; give one, as (0,)") from None
    if labels.dtype.kind not in "biuf":
        raise Declined("ignore_labels is no list of numbers; give labels, as (0,)")
    return labels


def _table(image0, image1, ignored, normalize):
    """The table as an array of SciPy, with the labels that do not count as zeros."""
    ends = cp.stack(
        [end(image).astype(float) for image in (image0, image1) for end in (cp.min, cp.max)]
    )
    least0, most0, least1, most1 = ends.get()
    if least0 < 0 or least1 < 0:
        raise Declined("images have labels below 0; give labels from 0 on")
    if (most0 + 1) * (most1 + 1) >= 2**62:
        raise Declined(
            "images have labels too large for pairs of them to be numbered; give "
            "skimage.segmentation.relabel_sequential(image)[0]"
        )
    columns = int(most1) + 1
    pairs = image0.astype(np.int64).ravel() * columns + image1.astype(np.int64).ravel()
    found, counts = (each.get() for each in cp.unique(pairs, return_counts=True))
    row, column = np.divmod(found, columns)
    row, column = row.astype(image0.dtype), column.astype(image1.dtype)
    counts = counts * np.isin(row, ignored, invert=True).astype(float)
    if normalize:
        counts /= counts.sum()
    return sparse.csr_array((counts, (row, column)))
