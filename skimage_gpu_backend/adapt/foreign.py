"""Calls with device arrays of other libraries: as CuPy arrays there, and the results back.

Nothing is copied, and nobody waits: the protocols order what the library and CuPy do on
their streams. Only where the result is the caller's own array, into which the call wrote,
no protocol tells the library; then the call waits for the device.
"""

import functools

import cupy as cp

from ..trouble import MixedArrays
from .kinds import CUPY, NUMPY, kind_of
from .values import replace


class Taken:
    """Arguments with CuPy arrays in place of another library's.

    Parameters
    ----------
    kind : Foreign
        Of the library's arrays.
    args, kwargs
        The caller's own, with at least one array of `kind`.

    Attributes
    ----------
    args : tuple
    kwargs : dict
    device : cupy.cuda.Device
        Where the arrays lie; the call belongs there.
    read_only : frozenset of int
        ``id`` of each CuPy array whose memory is not to be written to.

    Raises
    ------
    Exception
        As the library raises where it does not share an array's memory.
    TypeError
        Arrays of more than one library, or of one that cannot make arrays of device memory.
    """

    def __init__(self, kind, args, kwargs):
        self._shared = {}  # id of the caller's array -> (it, the CuPy array over its memory)
        self._kind = kind
        current = cp.cuda.runtime.getDevice()

        def there(value):
            known = self._shared.get(id(value))
            if known is not None:
                return known[1]
            found = kind_of(value)
            if found is kind:
                array = kind.to_cupy(value, current)
                self._shared[id(value)] = value, array
                return array
            if found is None or found is NUMPY:
                return value
            raise MixedArrays(f"a {kind.label} and a {found.label}; give arrays of one kind")

        self.args = tuple([replace(value, there) for value in args])
        self.kwargs = {name: replace(value, there) for name, value in kwargs.items()}
        like, array = next(iter(self._shared.values()))
        self.device = array.device
        self._elsewhere = self.device.id != current
        self._make = kind.maker(like)
        if self._make is None:
            raise TypeError(f"a {kind.label}, whose library has no from_dlpack for results")

    @functools.cached_property
    def read_only(self):
        arrays = self._shared.values()
        return frozenset(id(array) for value, array in arrays if self._kind.is_read_only(value))

    def run(self, call):
        """Result of `call` on the arrays' device, with arrays of the caller's library."""
        if self._elsewhere:
            with self.device:
                return self._run(call)
        return self._run(call)

    def _run(self, call):
        result = call()
        if result is None:  # it wrote into the caller's arrays, of which no protocol tells
            cp.cuda.get_current_stream().synchronize()
        return self._each(result) if hasattr(type(result), "__next__") else self._callers(result)

    def _each(self, results):
        result = None
        while True:
            with self.device:
                # the library may have written into the last result, of which the next one is
                # computed: the protocol has our stream wait for that
                replace(result, self._share)
                try:
                    result = self._callers(next(results))
                except StopIteration:
                    return
            yield result

    def _share(self, value):
        return self._kind.to_cupy(value, self.device.id) if kind_of(value) is self._kind else value

    def _callers(self, result):
        def change(value):
            if kind_of(value) is not CUPY:
                return value
            for callers, array in self._shared.values():
                if array is value:
                    cp.cuda.get_current_stream().synchronize()
                    return callers
            return self._make(cp.ascontiguousarray(value))

        return replace(result, change)
