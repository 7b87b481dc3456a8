"""How often labels of two Dask arrays meet, and what is made of it."""

import numpy as np
from scipy import sparse

from ..scikit_image import on_host
from . import sums
from .chunk import on_chunk

_METRICS = "skimage.metrics:"


def contingency_table(call):
    """How often each two labels meet."""
    options = {name: call.options[name] for name in ("normalize", "sparse_type")}
    return call.made(_asked, _table(call), dtype=object, **options)


def adapted_rand_error(call):
    """Error, precision and recall of a segmentation."""
    table, alpha = _table(call), call.options["alpha"]
    errors = call.made(_errors, table, dtype=object, alpha=alpha)
    return tuple(call.made(_one, errors, dtype=float, place=place) for place in range(3))


def variation_of_information(call):
    """Conditional entropies of two segmentations."""
    return call.made(_entropies, _table(call), dtype=float, lengths=(2,))


def _table(call):
    task = call.task(
        f"{_METRICS}contingency_table",
        ("im_true", "im_test"),
        ignore_labels=call.options["ignore_labels"],
        sparse_type="array",
    )
    return sums.summed(_table_of, tuple(call.images), add_tables, task=task)


def _table_of(one, other, task):
    return on_chunk(one, other, task=task)


def add_tables(parts):
    """Sum of tables, which have as many rows and columns as their largest labels say."""
    shape = tuple(max(part.shape[axis] for part in parts) for axis in range(2))
    total = None
    for part in parts:
        part = part.copy()
        part.resize(shape)
        total = part if total is None else total + part
    return total


def _asked(table, normalize, sparse_type):
    if normalize:
        table = table / table.sum()
    return sparse.csr_matrix(table) if sparse_type == "matrix" else sparse.csr_array(table)


def _errors(table, alpha):
    return np.array(on_host(f"{_METRICS}adapted_rand_error", table=table, alpha=alpha))


def _one(errors, place):
    return errors[place]


def _entropies(table):
    none = np.empty(0)  # of which nothing but its shape is asked
    table = _asked(table, True, "matrix")
    return np.array(on_host(f"{_METRICS}variation_of_information", none, none, table=table))
