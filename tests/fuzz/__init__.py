"""Random calls of every function that runs on the device, compared with scikit-image's own.

``python -m tests.fuzz`` makes them from the sweeps of `tests/differential`: what a sweep lists for
a parameter, what lies at the ends of its range, and what no function takes. `choices.py` draws and
shrinks, `arrays.py`, `options.py` and `calls.py` make a call of what was drawn, `compare.py` runs
it both ways, `excuses` has what may differ, `program.py` prints what was found.
"""
