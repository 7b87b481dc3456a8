"""The table in the documentation is what the sweeps and the catalog say today."""

import pytest

from . import reports, table
from .record import digest, load
from .sweeps import SWEEPS

AGAIN = "run: SKIMAGE_GPU_SIMULATOR=1 python -m tests.differential"


@pytest.mark.parametrize("sweep", [pytest.param(s, id=s.name) for s in SWEEPS])
def test_record_is_of_todays_calls(sweep):
    assert load()[sweep.name]["digest"] == digest(sweep), AGAIN


def test_page_is_of_todays_catalog_and_record():
    assert table.PAGE.read_text() == table.render(load()), AGAIN


def test_page_of_differences_is_of_todays_catalog():
    assert reports.PAGE.read_text() == reports.render(), AGAIN
