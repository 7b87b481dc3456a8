"""What tests of rooms have."""

from tests.functions.conftest import (  # noqa: F401 (fixtures)
    one_at_a_time,
    only_enumerated_specializations,
    strict,
)
