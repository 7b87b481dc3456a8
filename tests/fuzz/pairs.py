"""Which pairs of parameters' classes of values have met in a call."""

import itertools
from collections import defaultdict

_OPTION = ("usual", "listed", "boundary", "odd")


class Pairs:
    """Pairs of (parameter, class of value), by function."""

    def __init__(self):
        self._met = defaultdict(set)
        self._classes = defaultdict(lambda: defaultdict(set))

    def add(self, name, classes):
        """Note the pairs of a call.

        Parameters
        ----------
        name : str
        classes : dict
            By parameter, as in `calls.Call`: an array has several, for dtype, shape, values and
            layout.
        """
        singles = []
        for parameter, told in classes.items():
            if isinstance(told, tuple):
                singles += [(f"{parameter}.{number}", one) for number, one in enumerate(told)]
            else:
                self._classes[name][parameter].update(_OPTION)
                singles.append((parameter, "usual" if told == "left out" else told))
        for place, one in singles:
            self._classes[name][place].add(one)
        self._met[name].update(itertools.combinations(sorted(singles), 2))

    def counts(self):
        """Name, pairs that have met, and pairs that could have, of each function."""
        for name, classes in self._classes.items():
            sizes = [len(known) for known in classes.values()]
            yield name, len(self._met[name]), (sum(sizes) ** 2 - sum(n * n for n in sizes)) // 2

    def share(self) -> dict:
        """Of all functions together, and of those where the smallest share has met."""
        counts = list(self.counts())
        least = sorted(counts, key=lambda count: count[1] / max(count[2], 1))[:5]
        return {
            "met": sum(met for _, met, _ in counts),
            "possible": sum(possible for _, _, possible in counts),
            "least": least,
        }
