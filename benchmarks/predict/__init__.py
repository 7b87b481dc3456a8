"""Predictions of times on cards that nobody here has: `python -m benchmarks.predict`.

`cards.py` has the cards as data, `launches.py` watches the launches of a call on the simulator and
has blocks of each followed (`benchmarks.sass`) in the machine code that users get, `model.py` makes
times of what was seen, and `page.py` the page.
"""
