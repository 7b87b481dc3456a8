"""scikit-image's tables of marching cubes, in the form that kernels/measure/cubes.cuh reads.

They are scikit-image's own, decoded as it decodes them: which of its cases a cell is of, what a
case tests, and which triangles that gives. What its code does with them for each case
(`the_big_switch` of _marching_cubes_lewiner_cy.pyx) is written out here for each of the 256 kinds
of cells and each result of its tests, so that a kernel only looks it up.
"""

import functools

import numpy as np

from ...scikit_image import private

EMPTY, IMPOSSIBLE = 0, 1  # tilings: of a cell without triangles, and of one that cannot be
_EDGES = 13  # of a cell, with its center as the last one
_FACES = 6
_KIND = np.dtype([("first", "u2"), ("faces", "i1", _FACES)])
_OUTCOME = np.dtype([("yes", "u2"), ("no", "u2"), ("test", "i4")])
_TILING = np.dtype(
    {
        "names": ["used", "triangles", "before", "times", "edges"],
        "formats": ["u2", "u2", ("u2", _EDGES), ("u1", _EDGES), ("u1", 36)],
        "offsets": [0, 2, 4, 30, 43],
        "itemsize": 80,
    }
)
_DIAGONALS = 13  # the interior's test between diagonals; others are by an edge, counted from 1
_ALWAYS = {1: "1", 2: "2", 5: "5", 8: "8", 9: "9", 11: "11", 14: "14"}


@functools.cache
def tables(classic):
    """Kinds of cells, outcomes of their tests and tilings as bytes, and where tilings begin.

    Parameters
    ----------
    classic : bool
        Whether those of Lorensen and Cline, else those of Lewiner and others.
    """
    luts = private("measure._marching_cubes_lewiner_luts")
    to_array = private("measure._marching_cubes_lewiner")._to_array

    def table(name):
        return to_array(getattr(luts, name))

    made = _Classic(table) if classic else _Lewiner(table)
    kinds, outcomes = np.zeros(256, _KIND), []
    for index in range(256):
        faces, found = made.kind(index)
        kinds[index]["first"] = len(outcomes)
        kinds[index]["faces"][: len(faces)] = faces
        outcomes += found
    outcomes, tilings = np.array(outcomes, _OUTCOME), np.array(made.tilings, _TILING)
    parts = [np.frombuffer(part.tobytes(), np.uint8) for part in (kinds, outcomes, tilings)]
    return np.concatenate(parts), kinds.nbytes + outcomes.nbytes


class _Tilings:
    """Tilings, each by its number.

    Parameters
    ----------
    table : callable
        Gives scikit-image's table of a name.

    Attributes
    ----------
    tilings : list of numpy.void
    """

    def __init__(self, table):
        self.table = functools.cache(table)
        self.tilings = [_tiling(()), _tiling(())]  # EMPTY and IMPOSSIBLE

    def add(self, edges):
        """The number of a tiling with these edges, three for each triangle."""
        self.tilings.append(_tiling(edges))
        return len(self.tilings) - 1


class _Classic(_Tilings):
    """The cases of Lorensen and Cline, which test nothing."""

    def kind(self, index):
        edges = [edge for edge in self.table("CASESCLASSIC")[index].tolist() if edge >= 0]
        return (), [(self.add(edges), EMPTY, 0)] if edges else [(EMPTY, EMPTY, 0)]


class _Lewiner(_Tilings):
    """Those of Lewiner and others."""

    def kind(self, index):
        """Faces that a kind of cell tests, and what follows for each of their answers.

        The answer of face k is bit k of the place. What follows is a tiling, or a test of the
        interior between two of them.
        """
        case, config = self.table("CASES")[index].tolist()
        if case <= 0:
            return (), [(EMPTY, EMPTY, 0)]
        if case in _ALWAYS:
            return (), [self._is(_ALWAYS[case], config)]
        return getattr(self, f"_case_{case}")(config)

    def _is(self, name, *place):
        return self._tiled(name, *place), EMPTY, 0

    def _tiled(self, name, *place):
        return self.add(self.table(f"TILING{name}")[place].tolist())

    def _case_3(self, config):
        face = int(self.table("TEST3")[config])
        return (face,), [self._is("3_1", config), self._is("3_2", config)]

    def _case_4(self, config):
        sign = int(self.table("TEST4")[config])
        yes, no = self._tiled("4_1", config), self._tiled("4_2", config)
        return (), [(yes, no, _test(sign))]

    def _case_6(self, config):
        face, sign, edge = self.table("TEST6")[config].tolist()
        yes, no = self._tiled("6_1_1", config), self._tiled("6_1_2", config)
        return (face,), [(yes, no, _test(sign, edge)), self._is("6_2", config)]

    def _case_7(self, config):
        *faces, sign, edge = self.table("TEST7")[config].tolist()
        names = (("7_2", 0), ("7_2", 1), ("7_3", 0), ("7_2", 2), ("7_3", 1), ("7_3", 2))
        found = [self._is(name, config, place) for name, place in names]
        yes, no = self._tiled("7_4_2", config), self._tiled("7_4_1", config)
        return faces, [self._is("7_1", config), *found, (yes, no, _test(sign, edge))]

    def _case_10(self, config):
        *faces, sign = self.table("TEST10")[config].tolist()
        return faces, self._of_two_faces("10", config, _test(sign))

    def _case_12(self, config):
        *faces, sign, edge = self.table("TEST12")[config].tolist()
        return faces, self._of_two_faces("12", config, _test(sign, edge))

    def _of_two_faces(self, case, config, test):
        yes, no = self._tiled(f"{case}_1_1", config), self._tiled(f"{case}_1_2", config)
        names = (f"{case}_2", f"{case}_2_", f"{case}_1_1_")
        return [(yes, no, test), *(self._is(name, config) for name in names)]

    def _case_13(self, config):
        *faces, sign = self.table("TEST13")[config].tolist()
        found = [self._is("13_1", config)]
        for name in ("13_2", "13_3", "13_4"):
            found += self._each(name, config)
        edges = self.table("TILING13_5_1")[config][:, 0].tolist()
        for place, edge in enumerate(edges):
            yes, no = (self._tiled(name, config, place) for name in ("13_5_1", "13_5_2"))
            found.append((yes, no, _test(sign, edge)))
        for name in ("13_3_", "13_2_"):
            found += self._each(name, config)
        found += [self._is("13_1_", config), (IMPOSSIBLE, EMPTY, 0)]  # the last one is at -1
        return faces, [found[sub] for sub in self.table("SUBCONFIG13").tolist()]

    def _each(self, name, config):
        return [self._is(name, config, k) for k in range(self.table(f"TILING{name}").shape[1])]


def _test(sign, edge=_DIAGONALS - 1):
    """The test of the interior: its kind, with the sign of what scikit-image compares it with."""
    return (edge + 1) * (1 if sign > 0 else -1)


def _tiling(edges):
    """The struct Tiling of kernels/measure/cubes.cuh."""
    made = np.zeros((), _TILING)
    made["triangles"] = len(edges) // 3
    made["edges"][: len(edges)] = edges
    seen = 0
    for edge in edges:
        made["times"][edge] += 1
        if not seen >> edge & 1:
            made["before"][edge] = seen
            seen |= 1 << edge
    made["used"] = seen
    return made
