"""How the installed scikit-image is laid out.

From 0.27 on, its functions are implemented in `_skimage2`, and some public functions are wrappers
that warn of what skimage2 will change. Nothing is imported here: Python's start needs this module.
"""

ROOTS = ("skimage.", "_skimage2.", "skimage2.")
MIGRATION = "skimage._migration"  # defines these wrappers
BACKENDS = "skimage.util._backends"  # defines scikit-image's own dispatcher


def as_public(module):
    """The name of a module of scikit-image below ``skimage``, wherever it is implemented."""
    root, dot, rest = module.partition(".")
    return f"skimage{dot}{rest}" if f"{root}." in ROOTS else module


def past_warnings(function):
    """The function that a wrapper calls after its warning; a function without one as it is."""
    return past(function, (MIGRATION,))


def past(function, modules):
    """The function inside of all wrappers that these modules define."""
    while function.__globals__.get("__name__") in modules:
        function = function.__wrapped__
    return function


def copied_from(function):
    """The function that a copy under another docstring was made of; any other as it is.

    `functools.wraps` keeps the module's name, and so only copies differ in it.
    """
    inner = function.__dict__.get("__wrapped__")
    while inner is not None and inner.__module__ != function.__module__:
        function, inner = inner, inner.__dict__.get("__wrapped__")
    return function
