"""pytest plugin: a test records its calls of scikit-image's functions, and those on the device."""

import pytest


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
    return {
        "calls": sum(tally.calls for _, tally in tallies),
        "device_calls": sum(tally.calls for case, tally in tallies if case.on_device),
    }
