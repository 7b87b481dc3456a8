"""Delegation to cuCIM: arguments are matched by name, results are cuCIM's.

Which of cuCIM's functions give scikit-image's numbers for which calls is not yet proven
function by function; this module only carries the call over.
"""

import functools
import importlib
import inspect

from .availability import DeviceTrouble


@functools.cache
def implementation(name):
    """cuCIM's function for scikit-image's `name`, in scikit-image's signature.

    The returned function raises `DeviceTrouble` for a parameter that cuCIM lacks, before
    anything runs.
    """
    from .decide import scikit_image_function

    module, _, function = name.partition(":")
    try:
        theirs = getattr(importlib.import_module(f"cucim.{module}"), function)
    except (ImportError, AttributeError) as error:
        raise DeviceTrouble(f"cuCIM cannot be used: {error}") from error
    ours = inspect.signature(scikit_image_function(name))
    known = inspect.signature(theirs).parameters

    def delegate(*args, **kwargs):
        bound = ours.bind(*args, **kwargs).arguments
        for parameter in bound:
            if parameter not in known:
                raise DeviceTrouble(f"cuCIM's {function} has no parameter {parameter}")
        positional = [
            bound.pop(key)
            for key, p in known.items()
            if p.kind is p.POSITIONAL_ONLY and key in bound
        ]
        return theirs(*positional, **bound)

    return delegate
