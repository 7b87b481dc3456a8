"""How the installed scikit-image is laid out.

From 0.27 on, its functions are implemented in `_skimage2`, and some public functions are wrappers
that warn of what skimage2 will change. Nothing is imported here: Python's start needs this module.
"""

ROOTS = ("skimage.", "_skimage2.")
MIGRATION = "skimage._migration"  # defines these wrappers


def as_public(module):
    """The name of a module of scikit-image below ``skimage``, wherever it is implemented."""
    root, dot, rest = module.partition(".")
    return f"skimage{dot}{rest}" if root == "_skimage2" else module


def past_warnings(function):
    """The function that a wrapper calls after its warning; a function without one as it is."""
    while function.__globals__.get("__name__") == MIGRATION:
        function = function.__wrapped__
    return function
