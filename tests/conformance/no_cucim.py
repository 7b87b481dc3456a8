"""pytest plugin: cuCIM is not installed, whether or not it is."""

import sys

sys.modules["cucim"] = None
