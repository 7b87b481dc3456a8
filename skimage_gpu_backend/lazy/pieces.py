"""Properties of regions as a whole: those that lie in several chunks are put together.

Where a chunk has all of a region, an ordinary call of the chunk measures it. Of other regions the
pixels go to other workers in a tree, in which chunks become boxes and boxes larger boxes: the
first box that has all of a region measures it, by an ordinary call, and the rest of the tree gets
its row of the table.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import ndimage as ndi

from . import sums
from .chunk import on_chunk
from .join import like, on_the_host, tables


class Piece(NamedTuple):
    """What a chunk has of a region.

    Attributes
    ----------
    parts : int
        How many chunks have a piece of it.
    start, shape : numpy.ndarray
        Of the piece's box, in the whole image.
    mask : numpy.ndarray
        Its pixels in the box, in bits.
    values : numpy.ndarray or None
        Intensities of these pixels, in C order.
    """

    parts: int
    start: np.ndarray
    shape: np.ndarray
    mask: np.ndarray
    values: np.ndarray | None


class Rows(NamedTuple):
    """What is known of the regions of some chunks.

    Attributes
    ----------
    tables : list of tuple
        Labels of measured regions, and a dict of their properties.
    pieces : dict
        Lists of `Piece` for the labels of others.
    """

    tables: list
    pieces: dict


def measured_whole(found, images, measure, relabel):
    """Dask array without axes, whose value is a dict of properties of all regions, by label.

    Parameters
    ----------
    found : dask.array.Array
        As `joined_boxes` gives it; answers are in how many chunks each region lies.
    images : tuple of dask.array.Array
        Labels, and intensities if there are any.
    measure : Task
        `skimage.measure.regionprops_table`.
    relabel : Task
        `skimage.segmentation.relabel_sequential`.
    """
    labels, *intensity = images
    name = "regionprops_table"
    rows = labels.map_blocks(
        _rows,
        tables(found, labels.numblocks, name),
        *intensity,
        chunks=tuple((1,) * n for n in labels.numblocks),
        dtype=object,
        meta=np.empty((0,) * labels.ndim, object),
        token=f"{name}-rows",
        measure=measure,
        relabel=relabel,
    )
    return sums.totalled(rows, partial(add_rows, measure=measure), f"{name}-pieces")


def _rows(labels, table, *intensity, measure, relabel, block_info):
    """`Rows` of a chunk."""
    names, parts = table
    if labels.dtype.kind == "i":
        labels = labels * (labels > 0)
    numbers = on_chunk(labels, task=relabel)[0]
    is_whole = np.concatenate([[False], parts == 1])
    rows = Rows([], {})
    if is_whole.any():
        own = numbers
        if not is_whole[1:].all():
            own = numbers * like(numbers, is_whole)[numbers]
        found = on_chunk(own, *intensity, task=measure)
        rows.tables.append((names[parts == 1], _on_the_host(found)))
    if is_whole[1:].all():
        return rows
    numbers, starts = on_the_host(numbers), [n for n, _ in block_info[0]["array-location"]]
    values = [on_the_host(image) for image in intensity]
    for place, box in enumerate(ndi.find_objects(numbers)):
        if is_whole[place + 1]:
            continue
        mask = numbers[box] == place + 1
        start = np.array([part.start + at for part, at in zip(box, starts, strict=True)])
        inside = values[0][box][mask] if values else None
        piece = Piece(int(parts[place]), start, np.array(mask.shape), np.packbits(mask), inside)
        rows.pieces[int(names[place])] = [piece]
    return rows


def _on_the_host(table):
    return {name: on_the_host(column) for name, column in table.items()}


def add_rows(parts, measure):
    """`Rows` of several, where regions are measured of which all pieces are there."""
    together = Rows([table for part in parts for table in part.tables], {})
    for part in parts:
        for name, pieces in part.pieces.items():
            together.pieces.setdefault(name, []).extend(pieces)
    whole = {n: p for n, p in together.pieces.items() if len(p) == p[0].parts}
    for name in whole:
        del together.pieces[name]
    groups = {}
    for name, pieces in whole.items():
        start = np.min([piece.start for piece in pieces], axis=0)
        shape = np.max([piece.start + piece.shape for piece in pieces], axis=0) - start
        size = tuple(int(n - 1).bit_length() for n in shape[1:])
        groups.setdefault(size, []).append((name, start, shape, pieces))
    for group in groups.values():
        names = np.array([name for name, *_ in group])
        images = _side_by_side([rest for _, *rest in group])
        together.tables.append((names, _on_the_host(on_chunk(*images, task=measure))))
    return together


def _side_by_side(regions):
    """An image of regions, one after the other along its first axis, and of their intensities.

    Parameters
    ----------
    regions : list of tuple
        First pixel and shape of a region's box, and its pieces. Boxes are of like sizes along the
        other axes.
    """
    shapes = np.array([shape for _, shape, _ in regions])
    whole = (shapes[:, 0].sum(), *shapes[:, 1:].max(axis=0))
    images = [np.zeros(whole, np.min_scalar_type(len(regions)))]
    values = regions[0][2][0].values
    if values is not None:
        images.append(np.zeros(whole, values.dtype))
    first = 0
    for number, (start, shape, pieces) in enumerate(regions, start=1):
        for piece in pieces:
            begin = piece.start - start
            begin[0] += first
            here = tuple(slice(b, b + n) for b, n in zip(begin, piece.shape, strict=True))
            mask = np.unpackbits(piece.mask, count=piece.shape.prod()).astype(bool)
            mask = mask.reshape(piece.shape)
            images[0][here][mask] = number
            if values is not None:
                images[1][here][mask] = piece.values
        first += shape[0]
    return images


def column(rows, key, into):
    """A column of the table of all regions, by label."""
    if not rows.tables:
        return np.empty(0, into)
    names = np.concatenate([names for names, _ in rows.tables])
    values = np.concatenate([table[key] for _, table in rows.tables])
    return values[names.argsort()]
