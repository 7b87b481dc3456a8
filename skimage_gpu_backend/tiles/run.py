"""Running a call tile by tile: copies in, kernels and copies out go on at the same time.

Three streams and three threads of the host: one copies the next tile in, this one launches
kernels, one copies the result before out. Events order them; the host waits only for what it
copies.
"""

import collections
import contextlib
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import cupy as cp
import numpy as np

from .._warn import gathering
from ..adapt import meter
from ..adapt.kinds import NUMPY, kind_of
from ..adapt.transfer import is_device_array
from . import plan, progress
from .arrivals import DEPTH, arrivals
from .results import Results


class Cut:
    """A call whose images are cut.

    Parameters
    ----------
    call : Call
        With a plan.
    reach : Reach
        Of this call.
    make : callable, optional
        What takes the arrays of a tile by name in place of the tile's own plan.

    Raises
    ------
    plan.TooLarge
        The images cannot be cut.
    """

    def __init__(self, call, reach, make=None):
        self._call, self._make, self.reach = call, make, reach
        self._out = call.arguments.get("out")
        images = {n: v for n, v in call.arguments.items() if n != "out" and kind_of(v) is not None}
        self._names = {name: id(image) for name, image in images.items()}
        self.images = {id(image): image for image in images.values()}
        self._plans = {}  # shapes of a tile's arrays -> its plan
        shapes = {
            tuple(n for n, halo in zip(i.shape, reach.halo, strict=False) if halo is not None)
            for i in self.images.values()
        }
        if len(shapes) != 1 or 0 in next(iter(shapes)):
            raise plan.TooLarge
        self.shape = max((image.shape for image in self.images.values()), key=len)
        self.on_device = call.kind is not NUMPY or call.output == "cupy"

    @property
    def cost(self) -> int:
        """Bytes for each element of a tile, for all tiles that are on the device at a time."""
        return plan.bytes_per_element(self.images.values(), self.reach, DEPTH)

    def run(self, lengths, devices=(), *, whole=False):
        """Result of the call in tiles whose cores have these `lengths`.

        Parameters
        ----------
        lengths : tuple of int
            One for each axis of the images.
        devices : sequence of int
            That share the tiles; by default the current one.
        whole : bool
            The images fit on the device: elements cross the bus once. For tiles along the
            first axis alone, on the current device.
        """
        tiles = plan.tiles(self.shape, self.reach, lengths)
        results = Results(self.reach, self.shape, on_device=self.on_device)
        share = _Shared(tiles)
        with gathering(parts=True), progress.shown(len(tiles)) as advance:
            if devices:
                self._on_each(devices, share, tiles, results, advance)
            else:
                self._pipeline(share, tiles, results, advance, whole=whole)
        value = results.value()
        if self._out is None:
            return value
        if is_device_array(self._out):
            self._out[...] = value
        else:
            np.copyto(self._out, value, casting="unsafe")
        return self._out

    def _on_each(self, devices, share, tiles, results, advance):
        def work(device):
            with cp.cuda.Device(device):
                self._pipeline(share, tiles, results, advance)

        helper = meter.carried(work)
        with ThreadPoolExecutor(len(devices)) as pool:
            done = [pool.submit(contextvars.copy_context().run, helper, d) for d in devices]
        for each in done:
            each.result()

    def _pipeline(self, share, tiles, results, advance, *, whole=False):
        """Run tiles of `share` until it has no more, on the current device."""
        device = cp.cuda.Device()
        kernels = cp.cuda.get_current_stream()
        outgoing = cp.cuda.Stream(non_blocking=True)

        def deliver(tile, cores, made):
            with device:
                outgoing.wait_event(made)
                results.put(tile, cores, outgoing)
            advance()

        helper = meter.carried(deliver)
        leaving = collections.deque()
        coming = arrivals(share, tiles, self.images, whole=whole)
        with contextlib.closing(coming), ThreadPoolExecutor(1) as deliverer:
            try:
                for tile, parts in coming:
                    cores = results.cores(tile, self._compute(tile, parts))
                    if results.on_device:
                        results.put(tile, cores, kernels)
                        advance()
                        continue
                    leaving.append(deliverer.submit(helper, tile, cores, kernels.record()))
                    del cores
                    if len(leaving) >= DEPTH:
                        leaving.popleft().result()
                for each in leaving:
                    each.result()
            finally:
                share.stop()  # after an error nothing more is begun

    def _compute(self, tile, parts):
        arrays = {name: parts[key] for name, key in self._names.items()}
        if self._out is not None:
            shape = [part.stop - part.start for part in tile.outer]
            arrays["out"] = cp.empty(shape, self._out.dtype.newbyteorder("="))
        return (self._make or self._plan_for(arrays).run)(**arrays, **self._call.whole)

    def _plan_for(self, arrays):
        """The plan of a tile; there are few shapes of tiles."""
        shapes = tuple(array.shape for array in arrays.values())
        found = self._plans.get(shapes)
        if found is None:
            found = self._plans[shapes] = self._call.plan_for(arrays)
        return found


class _Shared:
    """Iterator that several threads take from, until it is stopped."""

    def __init__(self, items):
        self._items = iter(items)
        self._lock = threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        with self._lock:
            return next(self._items)

    def stop(self):
        """Let nobody take any more."""
        with self._lock:
            self._items = iter(())
