"""Running an op tile by tile: copies in, kernels and copies out go on at the same time.

Three streams and three threads of the host: one copies the next tile in, this one launches the
op, one copies the result before out. Events order them; the host waits only for what it copies.
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
from ..adapt.call import bound
from ..adapt.kinds import NUMPY, kind_of
from ..adapt.transfer import is_device_array, to_host
from ..adapt.values import replace
from . import plan, progress
from .arrivals import DEPTH, arrivals
from .results import Results


class Call:
    """A call of an op whose images are cut.

    Parameters
    ----------
    name : str
        Public module and function.
    op, names, places, kind, args, kwargs, output
        As of `adapt.call.call_on_device`.
    reach : Reach
        Of this call.

    Raises
    ------
    plan.TooLarge
        The images cannot be cut.
    """

    def __init__(self, name, op, reach, names, places, kind, args, kwargs, *, output=None):
        self._name = name
        self._op = op
        self.reach = reach
        arguments, self._rest = bound(places, args, kwargs)
        self._out = arguments.pop("out", None)
        images = {n: v for n, v in arguments.items() if n in names and kind_of(v) is not None}
        self._names = {name: id(image) for name, image in images.items()}
        self.images = {id(image): image for image in images.values()}
        self._arguments = {
            name: replace(value, lambda v: to_host(v) if is_device_array(v) else v)
            for name, value in arguments.items()
            if name not in images
        }
        shapes = {
            tuple(n for n, halo in zip(i.shape, reach.halo, strict=True) if halo is not None)
            for i in self.images.values()
        }
        if len(shapes) != 1 or 0 in next(iter(shapes)):
            raise plan.TooLarge
        self.shape = next(iter(self.images.values())).shape
        self.on_device = kind is not NUMPY or output == "cupy"

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
        with gathering(), progress.shown(self._name, len(tiles)) as advance:
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
        images = {name: parts[key] for name, key in self._names.items()}
        if self._out is not None:
            shape = [part.stop - part.start for part in tile.outer]
            images["out"] = cp.empty(shape, self._out.dtype.newbyteorder("="))
        return self._op(*self._rest, **self._arguments, **images)


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
