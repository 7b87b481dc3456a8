"""What the README says of predictions is what the kept rows say."""

import json
import re
from pathlib import Path

from benchmarks.predict import cards
from benchmarks.predict.page import RESULTS, mean_of, ratio_of

README = (Path(__file__).parents[2] / "README.md").read_text()
_MEAN = r"([\d.]+) times as long on an? (.+?) \(geometric mean of (\d+) calls\s+at (\d+) x"


def test_means_of_ratios_are_those_of_the_tables():
    told = re.findall(_MEAN, README)
    assert told
    for mean, title, count, side in told:
        (card,) = (name for name, card in cards.CARDS.items() if card.title == title)
        rows = json.loads((RESULTS / f"{card}.json").read_text())
        rows = [row for row in rows if row["side"] == int(side)]
        assert f"{mean_of(rows):.1f}" == mean
        assert len([*filter(None, map(ratio_of, rows))]) == int(count)
