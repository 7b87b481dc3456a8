"""What predictions would change of crossover sizes: `python -m benchmarks.predict.crossovers`.

The model of `skimage_gpu_backend.sizes` gives kernels the time of the bytes that they move. Here
they have the predicted time of a standard call instead, per element of its image; all else, which
is the way over the bus, launches and scikit-image's time, is the model's.
"""

import json
import statistics
import sys

import numpy as np

from skimage_gpu_backend.catalog import spoken
from skimage_gpu_backend.sizes import model

from . import cards
from .rows import RESULTS

CLASSES = {"uint8": "integer", "float32": "float32"}
_ALIKE = 1.1


def changes(rows):
    """Of each call that the model knows: its name, images, and crossovers in elements by both."""
    for row in rows:
        way, dtype = row["gpu"], row["images"].partition(" ")[0]
        known = model.shipped().get(row["function"], {}).get(CLASSES.get(dtype))
        if not known or "us" not in way:
            continue
        moved, machine = known[0][-1], model.TYPICAL
        predicted = 1e-6 * way["us"] - way["copies"] * machine["copy"]
        # the model divides the bytes of an element by this: the predicted time is left
        memory = moved / (predicted / row["side"] ** 2)
        call = row["function"], CLASSES[dtype], np.dtype(dtype).itemsize
        found = []
        for each in (machine, machine | {"memory": memory}):
            (_, points), *_ = model.curves(*call, each)
            found.append(model.crossover(points))
        yield spoken(row["function"]), row["images"], *found


def main() -> int:
    """Tell how many crossovers would be others, and which."""
    for card in cards.CARDS:
        file = RESULTS / f"{card}.json"
        rows = json.loads(file.read_text()) if file.exists() else []
        side = max((row["side"] for row in rows), default=0)
        found = [*changes(row for row in rows if row["side"] == side)]
        if not found:
            continue
        ratios = [(after / before, *rest) for *rest, before, after in found if 0 < before < 1e12]
        others = sorted(each for each in ratios if not 1 / _ALIKE < each[0] < _ALIKE)
        print(
            f"{cards.CARDS[card].title}, {side} x {side}: {len(found)} crossovers, those by"
            f" predictions {statistics.median(r for r, *_ in ratios):.3f} of the model's (median);"
            f" of more than a tenth another one: {len(others)}"
        )
        for ratio, name, images in others:
            print(f"  {name} of {images}: {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
