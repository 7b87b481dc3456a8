"""Warnings that are scikit-image's, where tests compare what is told."""


def own(seen):
    """Those that were recorded, but for what NumPy tells scikit-image's authors of their code."""
    return [
        each
        for each in seen
        if not (each.category is DeprecationWarning and "in NumPy 2." in str(each.message))
    ]
