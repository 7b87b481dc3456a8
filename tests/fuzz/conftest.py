"""scikit-image's functions are left as they were, as after the differential tests."""

from tests.differential.conftest import restored

__all__ = ["restored"]
