"""What a run of many calls came to: on the terminal, and as JSON."""

import json
from collections import Counter
from dataclasses import asdict

from .compare import KINDS
from .pairs import Pairs

_SLOW = 2.0  # seconds of a call


class Report:
    """Adds up what became of calls.

    Parameters
    ----------
    seed : int
        Of the first call.

    Attributes
    ----------
    found : dict
        The first `run.Found` of each function and kind.
    """

    def __init__(self, seed):
        self.seed = seed
        self.calls = self.too_large = self.refused = 0
        self.ran, self.excused = Counter(), Counter()
        self.slow, self.found, self.seeds = [], {}, {}
        self._pairs = Pairs()

    def add(self, event):
        """Note an `run.Event`."""
        self.calls += 1
        self.too_large += event.too_large
        self.refused += event.refused
        self.ran[event.source or "scikit-image"] += 1
        self.excused.update(event.excused)
        self._pairs.add(event.name, event.classes)
        if max(event.seconds) > _SLOW:
            seconds = [round(each, 1) for each in event.seconds]
            self.slow.append({"name": event.name, "seed": event.seed, "seconds": seconds})
        for found in event.found:
            key = found.name, found.kind
            self.found.setdefault(key, found)
            self.seeds.setdefault(key, []).append(found.seed)

    def save(self, file):
        """Write all of it as JSON."""
        told = {
            "seed": self.seed,
            "calls": self.calls,
            "refused by scikit-image": self.refused,
            "too large": self.too_large,
            "ran on": self.ran,
            "pairs": self._pairs.share(),
            "excused": self.excused,
            "slow": self.slow,
            "found": [asdict(f) | {"seeds": self.seeds[key]} for key, f in self.found.items()],
        }
        file.write_text(json.dumps(told, indent=1) + "\n")

    def lines(self):
        """The report, a line an item."""
        pairs = self._pairs.share()
        share = pairs["met"] / max(pairs["possible"], 1)
        ran = ", ".join(f"{count:,} {where}" for where, count in self.ran.most_common())
        yield f"{self.calls:,} calls from seed {self.seed}: {ran}"
        yield f"{self.refused:,} refused by scikit-image, {self.too_large:,} too large to compare"
        yield f"pairs of options and classes of values: {pairs['met']:,} met, {share:.0%}"
        for name, count in self.excused.most_common():
            yield f"{count:,} excused: {name}"
        for slow in self.slow:
            yield f"slow: {slow['name']} --seed {slow['seed']}: {slow['seconds']} s"
        for key, found in sorted(self.found.items()):
            yield ""
            yield f"{found.name}: {KINDS[found.kind]} ({len(self.seeds[key])} calls)"
            yield f"  --seed {found.seed}: {found.told}"
            yield found.program
