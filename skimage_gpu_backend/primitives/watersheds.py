"""Floods that rise from markers: the order in which they reach pixels, and the label of each."""

import functools

import numpy as np

from ..device import c_name, launch
from ..device.launches import Array, Launch, Launches
from ..device.rounds import rounds
from ..devices import argsort, xp
from ..trouble import Declined
from .frames import Frame
from .marker_queues import turns_of
from .max_trees import sortable, to_roots

MOST_PIXELS = 1 << 30  # of a frame, in segmentation/watershed.cu
_SOURCE = "segmentation/watershed.cu"
_BLOCK = 256
_MOST_VISITS = 1024  # of each box, on average
_MOST_PASSES = 256
_IS_TIED = 2  # of segmentation/watershed.cu
_SINGLE, _WORD, _LONG = np.dtype("f4"), np.dtype("u4"), np.dtype("u8")
_TIED = (
    "markers of one value touch pixels at the same time, and scikit-image's queue decides which "
    "is first; give markers whose values in image differ"
)
_SLOW = "image takes more rounds than kernels are worth; nothing to change"


class Watershed:
    """Labels of an image's pixels, by the marker whose flood reaches each first.

    Parameters
    ----------
    shape : tuple of int
    dtype : numpy.dtype
        Of the image.
    of_markers : numpy.dtype
        Integers or booleans.
    is_masked : bool
    footprint : numpy.ndarray
        Of booleans, symmetric about `centre`.
    centre : sequence of int
    """

    def __init__(self, shape, dtype, of_markers, is_masked, footprint, centre):
        self._frame = frame = Frame(shape, footprint, centre)
        self._n = Array(frame.sides, _WORD).size
        self._bits = np.dtype(f"u{of_markers.itemsize}")
        self._is_ranked = dtype.itemsize > 2 and dtype != _SINGLE
        numbers = np.dtype("f8") if self._is_ranked else _SINGLE
        self._numbers = numbers
        self._most = min(_MOST_VISITS * frame.boxes, 2**31 - 1)
        self._floods = self._flooding(shape, is_masked)
        self._refined = self._refining(None)
        self._refined_by_turns = self._refining(Array(frame.sides, _WORD, "turns"))

    @property
    def size(self):
        """Pixels of the frame."""
        return self._n

    def _flooding(self, shape, is_masked):
        """Launches that find when floods reach pixels."""
        frame, sides = self._frame, self._frame.sides
        image = Array(shape, self._numbers, "image")
        ranks = Array(shape, _WORD, "ranks") if self._is_ranked else None
        mask = Array(shape, np.dtype("u1"), "mask") if is_masked else None
        markers = Array(shape, self._bits, "markers")
        told, counted = Array((1,), _WORD, zero=True), Array((2,), np.dtype("i4"), zero=True)
        levels, times = Array(sides, _WORD), Array(sides, _LONG)
        leveled = (image, ranks, mask, frame.struct, told, levels)
        typed = f"<{c_name(self._bits)}>"
        placed = (markers, levels, frame.struct, times)
        steps = [
            Launch(_SOURCE, f"levels<{c_name(self._numbers)}>", leveled, self._n),
            Launch(_SOURCE, f"sources{typed}", placed, self._n),
            frame.settling(_SOURCE, "flood", levels, times, counted, self._most),
        ]
        return Launches(steps, (times, told, counted))

    def _refining(self, turns):
        """Launches that refine the order of pixels by ranks from which they were reached."""
        frame, n = self._frame, self._n
        times, ranks = Array(frame.sides, _LONG, "times"), Array(frame.sides, _WORD, "ranks")
        waves, order = Array(frame.sides, _WORD), Array(frame.sides, _LONG)
        begun = (times, ranks, turns, n, frame.steps, frame.count, waves)
        counted = Array((2,), np.dtype("i4"), zero=True)
        steps = [
            Launch(_SOURCE, "begin_wave", begun, n),
            frame.settling(_SOURCE, "wave", times, waves, counted, self._most),
            Launch(_SOURCE, "refine", (ranks, waves, n, order), n),
        ]
        return Launches(steps, (order, counted))

    def __call__(self, image, markers, mask=None):
        """Labels, of the markers' dtype; passes that told ties apart; how often boxes were done.

        Parameters
        ----------
        image, markers : cupy.ndarray
        mask : cupy.ndarray, optional
            Of booleans.
        """
        image = xp.ascontiguousarray(image, self._numbers)
        markers = xp.ascontiguousarray(markers)
        bits = markers.view(self._bits)
        given = {"image": image, "markers": bits}
        if mask is not None:
            given["mask"] = xp.ascontiguousarray(mask).view("u1")
        if self._is_ranked:
            given["ranks"] = _ranked(sortable(image))[0]
        times, told, counted = self._floods(**given)
        if int(told[0]):
            raise Declined(
                "image has NaN; give finite numbers, as numpy.nan_to_num(image), which changes "
                "the result"
            )
        visits = self._visits(counted)
        links, passes, more = self._linked(times, bits)
        result = xp.empty_like(markers)
        finish = (bits, bits.size, self._frame.struct, times, links, result.view(self._bits))
        _launch(f"finish<{c_name(self._bits)}>", finish, bits.size)
        return result, passes, visits + more

    def _visits(self, counted):
        """How often boxes were done, if all is done."""
        left, visits = counted.tolist()
        if left + self._frame.boxes:
            raise Declined(_SLOW)
        return visits

    def _linked(self, times, bits):
        """Of each place in the frame that of the marker whose label it has; passes, and visits."""
        order, count, visits, refined = times, 0, 0, self._refined
        for passes, _ in zip(range(_MOST_PASSES), rounds(), strict=False):
            links = self._parents(times, order)
            told, highest = self._disagreement(times, order, links, bits)
            if not told:
                return links, passes, visits
            if told & _IS_TIED:
                if refined is not self._refined:
                    raise Declined(_TIED)
                turns = self._turns(times, highest)
                order, count = self._begun_by(turns, times), 0
                refined = functools.partial(self._refined_by_turns, turns=turns)
                continue
            ranks, found = _ranked(order)
            if found == count:
                raise Declined(_TIED)
            count = found
            order, counted = refined(times=times, ranks=ranks)
            visits += self._visits(counted)
        raise Declined(_SLOW)

    def _turns(self, times, highest):
        """Turns of markers that are tied, up to a level, if these are the lowest ones only."""
        first = times.min()
        if int(first) >> 32 == highest:
            turns = turns_of(times, first, self._frame.steps.values[:, 0])
            if turns is not None:
                return turns
        raise Declined(_TIED)

    def _begun_by(self, turns, times):
        """The order of pixels, as far as times and the turns of markers tell."""
        order = xp.empty_like(times)
        _launch("refine", (_ranked(times)[0], turns, self._n, order), self._n)
        return order

    def _parents(self, times, order):
        """Of each place that of the first pixel around it, followed to its marker."""
        frame = self._frame
        links = xp.empty(frame.sides, "int32")
        args = (times, order, self._n, xp.asarray(frame.steps.values), frame.count, links)
        _launch("parents", args, self._n)
        return to_roots(links)

    def _disagreement(self, times, order, links, bits):
        """What `disagree` tells: 0 if all pixels that floods reach can have one label only."""
        frame, told = self._frame, xp.zeros(2, "uint32")
        steps = xp.asarray(frame.steps.values)
        args = (bits, frame.struct, times, order, steps, frame.count, links, told)
        _launch(f"disagree<{c_name(self._bits)}>", args, self._n)
        return told.tolist()


def _ranked(numbers):
    """Twice how many smaller ones there are, equal ones counted once, and 1 for odd; and of all."""
    n = numbers.size
    places = argsort(numbers.ravel())
    differs, ranks = xp.empty(n, "uint32"), xp.empty(numbers.shape, "uint32")
    _launch("differ", (numbers, places, n, differs), n)
    sums = xp.cumsum(differs, dtype="uint32")
    _launch("rank", (numbers, places, sums, n, ranks), n)
    return ranks, int(sums[-1]) + 1


def _launch(kernel, args, work):
    launch(_SOURCE, kernel, args, work=work, block=_BLOCK)


def specializations():
    """Every (source, expression) that this module launches."""
    kernels = ["levels<float>", "levels<double>", "flood", "wave", "begin_wave", "refine"]
    kernels += ["parents", "differ", "rank"]
    for size in (1, 2, 4, 8):
        bits = c_name(np.dtype(f"u{size}"))
        kernels += [f"{name}<{bits}>" for name in ("sources", "disagree", "finish")]
    return [(_SOURCE, each) for each in kernels]
