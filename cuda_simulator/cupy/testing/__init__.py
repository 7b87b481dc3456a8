"""`cupy.testing`: assertions, arrays to test with and decorators."""

from ._array import *  # noqa: F403
from ._helper import *  # noqa: F403
from ._loops import *  # noqa: F403
from ._parameterized import *  # noqa: F403
