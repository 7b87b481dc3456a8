"""pytest plugin: a test records its calls of scikit-image's functions, and those on the device."""

import re
from collections import Counter

import pytest

from skimage_gpu_backend.catalog import CATALOG, spoken
from skimage_gpu_backend.methods import AS_FUNCTION
from skimage_gpu_backend.profiling.advice import fallbacks


@pytest.fixture(autouse=True)
def counted(record_property, pytestconfig):
    """What the profile of `skimage_gpu_backend.pytest_plugin` has more after the test."""
    profile = pytestconfig.pluginmanager.get_plugin("skimage_gpu_backend").profile
    before, already = _calls(profile), _left(profile)
    yield
    for name, calls in _calls(profile).items():
        record_property(name, calls - before[name])
    left = {said: calls - already[said] for said, calls in _left(profile).items()}
    record_property("left", {said: calls for said, calls in left.items() if calls})


def _calls(profile):
    tallies = profile.tallies.items()
    on_cpu = [(case, tally) for case, tally in tallies if not case.on_device]
    others = [tally for case, tally in on_cpu if not _takes_images(case.function)]
    return {
        "calls": sum(tally.calls for _, tally in tallies),
        "device_calls": sum(tally.calls for case, tally in tallies if case.on_device),
        "refused_calls": sum(tally.errors for _, tally in on_cpu),
        "other_calls": sum(tally.calls - tally.errors for tally in others),
    }


def _left(profile):
    """Calls that count and ran on the CPU, by function and reason."""
    found = Counter()
    for (name, reason), tally in fallbacks(profile).items():
        if _takes_images(name):
            why = re.sub(" at 0x[0-9a-f]+", "", str(reason)).partition(";")[0]
            found[f"`{spoken(name)}`, {why}"] += tally.calls - tally.errors
    return found


def _takes_images(name):
    """Whether a function has images and a GPU version; one that makes arrays has none to move."""
    return name in AS_FUNCTION or (name in CATALOG and bool(CATALOG[name].images))
