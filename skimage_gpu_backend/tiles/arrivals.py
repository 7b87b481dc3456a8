"""Tiles as they arrive on the device, while the kernels of the ones before run."""

import collections
from concurrent.futures import ThreadPoolExecutor

import cupy as cp

from ..adapt import meter
from .sources import source_of

# Tiles on the device at a time: one that is computed while the next one arrives.
DEPTH = 2


def arrivals(share, tiles, images, *, whole=False):
    """Each tile with its parts of the images, which kernels on the current stream may read.

    A thread copies a tile in while the caller launches the kernels of the one before. Close
    the generator: then nothing is on its way any more.

    Parameters
    ----------
    share : iterator of Tile
        That are to be run here.
    tiles : list of Tile
        All that may come.
    images : dict
        NumPy or device arrays by any key.
    whole : bool
        See `sources.source_of`.

    Yields
    ------
    tile : Tile
    parts : dict
        Device arrays by the keys of `images`; they last until the next tile is asked for.
    """
    device = cp.cuda.Device()
    kernels = cp.cuda.get_current_stream()
    incoming = cp.cuda.Stream(non_blocking=True)
    sources = {key: source_of(image, tiles, DEPTH, whole=whole) for key, image in images.items()}
    # the memory of the slots may belong to kernels that are still to run
    incoming.wait_event(kernels.record())
    free = [None] * DEPTH  # events after which the slots may be written to

    def fetch(number, tile):
        with device:
            slot = number % DEPTH
            if free[slot] is not None:
                incoming.wait_event(free[slot])
            parts = {key: source.fetch(tile, slot, incoming) for key, source in sources.items()}
            return tile, parts, incoming.record()

    helper = meter.carried(fetch)
    coming = collections.deque()
    begun = done = 0
    try:
        with ThreadPoolExecutor(1) as fetcher:
            while True:
                while len(coming) < DEPTH and (tile := next(share, None)) is not None:
                    coming.append(fetcher.submit(helper, begun, tile))
                    begun += 1
                if not coming:
                    return
                tile, parts, arrived = coming.popleft().result()
                kernels.wait_event(arrived)
                yield tile, parts
                free[done % DEPTH] = kernels.record()
                done += 1
    finally:
        incoming.synchronize()  # after an error no kernel has waited for what is on its way
