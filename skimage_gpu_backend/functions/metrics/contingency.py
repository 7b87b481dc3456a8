"""skimage.metrics: how often labels of two images meet, and what is made of it.

Cost of every function here: 1 launch, which reads each image once and lists the pairs of labels
that there are, if they are no more than 16,384; the first 4,096 (64 KiB) come to the host, in a
second copy the others. Of images of more than 2**22 pixels, which may have more pairs than that, a
table of all pairs of labels below 256 comes to the host instead (256 KiB, 512 from 2**31 pixels
on). Other labels: 1 launch more, which reads each image once more and counts in a table of all
pairs that there could be, as long as it has no more numbers than there are pixels, of which a few
of CuPy's find those that there are. CuPy sorts the pairs of others. The pairs that there are come
to the host, with their counts, where scikit-image's own formulas make the result of them.
"""

import numpy as np
from scipy import sparse

from ...device import c_name, launch
from ...device.dtypes import code
from ...devices import to_host, xp
from ...plan import Declined, Invalid, Plan
from ...primitives.arguments import is_real, truth
from ...primitives.reduce import in_memory_order
from ...scikit_image import on_host
from ._pairs import refuse_unlike

_SOURCE = "metrics/pairs.cu"
_BLOCK, _PACK = 256, 4  # THREADS and N in the kernel
_MOST, _SLOTS = 1 << 14, 1 << 16  # MOST_PAIRS there, and what SLOT_BITS number
_LABEL_BITS = 24
_TOLD, _PAIR = 32, 16  # bytes of what is told, and of a listed pair
_FIRST = 4096  # pairs that come to the host with what is told
_LISTED = 1 << 22  # pixels
_SIDE = 256  # of the table of larger images that is tried first


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
        return xp.asarray(
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
    (row, column), counts = _pairs(image0, image1)
    row, column = row.astype(image0.dtype), column.astype(image1.dtype)
    counts = counts * np.isin(row, ignored, invert=True).astype(float)
    if normalize:
        counts /= counts.sum()
    return sparse.csr_array((counts, (row, column)))


def _pairs(image0, image1):
    """Labels of the pairs that there are, in rising order, and how often, on the host."""
    image0, image1 = in_memory_order(image0, image1)
    if lists := image0.size <= _LISTED:
        found = _listed(image0, image1)
        there = to_host(found[: _TOLD + _FIRST * _PAIR])
    else:
        there = to_host(_counted(image0, image1, _SIDE, _SIDE))
    *most, odd, taken = there[:_TOLD].view("uint64").tolist()
    for bit, image in ((1, image0), (2, image1)):
        if odd & bit and image.dtype.kind == "i":
            raise Declined("images have labels below 0; give labels from 0 on")
    rows, columns = most[0] + 1, most[1] + 1
    if odd or rows * columns >= 2**62:
        raise Declined(
            "images have labels too large for pairs of them to be numbered; give "
            "skimage.segmentation.relabel_sequential(image)[0], which changes the result"
        )
    if lists and taken <= _MOST and max(rows, columns) <= 1 << _LABEL_BITS:
        return _of_list(there[_TOLD:], found[_TOLD : _TOLD + taken * _PAIR])
    count = _count(image0)
    is_counted = not lists and max(rows, columns) <= _SIDE
    if is_counted or rows * columns <= _SIDE**2:
        if is_counted:
            columns = _SIDE
        else:
            there = to_host(_counted(image0, image1, rows, columns))
        counts = there[_TOLD:].view(count)
        places = np.flatnonzero(counts)
        counts = counts[places]
    elif rows * columns <= image0.size:
        table = _counted(image0, image1, rows, columns)[_TOLD:].view(count)
        places = xp.flatnonzero(table)
        places, counts = to_host(xp.stack([places, table[places].astype(places.dtype)]))
    else:
        pairs = image0.astype(np.int64).ravel() * columns + image1.astype(np.int64).ravel()
        places, counts = (to_host(each) for each in xp.unique(pairs, return_counts=True))
    return np.divmod(places, columns), counts


def _of_list(there, listed):
    """Pairs of a list that is on the device, of which the first are on the host, too."""
    if listed.size > there.size:
        there = np.concatenate([there, to_host(listed[there.size :])])
    labels, counts = there[: listed.size].view("uint64").reshape(-1, 2).T
    order = np.argsort(labels)
    order = order[counts[order] > 0]
    labels = labels[order].astype(np.int64)
    return (labels >> _LABEL_BITS, labels & (1 << _LABEL_BITS) - 1), counts[order]


def _count(image):
    """The dtype of numbers of pixels."""
    return np.dtype(np.uint32 if image.size < 2**31 else np.uint64)


def _listed(image0, image1):
    """Bytes of what is told of the labels, and of a list of the pairs: 1 launch."""
    made = xp.zeros(_TOLD + _MOST * _PAIR + 8 * _SLOTS, "uint8")
    told, pairs, slots = xp.split(made, [_TOLD, _TOLD + _MOST * _PAIR])
    expression = f"list_pairs<{c_name(np.dtype(_held_in(image0, image1)))}>"
    _launch(expression, image0, image1, pairs, slots, told)
    return made


def _counted(image0, image1, rows, columns):
    """Bytes of what is told of the labels, and of a table of how often which meet: 1 launch."""
    count = _count(image0)
    made = xp.zeros(_TOLD + rows * columns * count.itemsize, "uint8")
    expression = _expression(count, _held_in(image0, image1))
    _launch(expression, image0, image1, rows, columns, made[_TOLD:], made[:_TOLD])
    return made


def _launch(expression, image0, image1, *args):
    images = (each for image in (image0, image1) for each in (image, code(image.dtype)))
    work = -(-image0.size // _PACK)
    launch(_SOURCE, expression, (*images, image0.size, *args), work=work, block=_BLOCK)


def _held_in(*images):
    """Type that holds the labels of images, but for those above 2**63 of unsigned ones."""
    return np.int32 if all(np.can_cast(image.dtype, np.int32) for image in images) else np.int64


def _expression(count, label):
    return f"count_pairs<{c_name(np.dtype(f'i{count.itemsize}'))}, {c_name(np.dtype(label))}>"


def specializations():
    """Every (source, expression) that the functions of this module launch."""
    for label in (np.int32, np.int64):
        yield _SOURCE, f"list_pairs<{c_name(np.dtype(label))}>"
        for count in (np.uint32, np.uint64):
            yield _SOURCE, _expression(np.dtype(count), label)
