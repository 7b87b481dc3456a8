"""Every function of the catalog, compared with scikit-image's own.

`sweeps/` holds, as data, the calls of each function; `check.py` runs one and compares;
`test_differential.py` makes a test of each.
"""
