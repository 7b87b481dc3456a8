"""pytest plugin: a test records its calls of scikit-image's functions, and those on the device."""

import pytest

from skimage_gpu_backend.catalog import CATALOG


@pytest.fixture(autouse=True)
def counted(record_property, pytestconfig):
    """What the profile of `skimage_gpu_backend.pytest_plugin` has more after the test."""
    profile = pytestconfig.pluginmanager.get_plugin("skimage_gpu_backend").profile
    before = _calls(profile)
    yield
    for name, calls in _calls(profile).items():
        record_property(name, calls - before[name])


def _calls(profile):
    tallies = profile.tallies.items()
    on_cpu = [(case, tally) for case, tally in tallies if not case.on_device]
    others = [tally for case, tally in on_cpu if case.function not in CATALOG]
    return {
        "calls": sum(tally.calls for _, tally in tallies),
        "device_calls": sum(tally.calls for case, tally in tallies if case.on_device),
        "refused_calls": sum(tally.errors for _, tally in on_cpu),
        "other_calls": sum(tally.calls - tally.errors for tally in others),
    }
