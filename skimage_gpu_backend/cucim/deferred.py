"""Corrections that need CuPy, imported when the first call is corrected."""

import importlib


def deferred(module: str, functions: str) -> dict:
    """Rows of CORRECTIONS: functions of this package's `module`, by their names."""
    return {function: correction(module, function) for function in functions.split()}


def correction(module: str, function: str):
    """A correction: one `function` of this package's `module`."""

    def correct(theirs, **arguments):
        place = importlib.import_module(f"{__package__}.{module}")
        return getattr(place, function)(theirs, **arguments)

    return correct
