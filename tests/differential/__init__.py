"""Every function that cuCIM runs for us, compared with scikit-image's own.

`sweeps/` holds, as data, the calls of each function; `check.py` runs one and compares;
`test_differential.py` makes a test of each; ``python -m tests.differential`` runs all and
writes the table in ``docs/functions.md``.
"""
