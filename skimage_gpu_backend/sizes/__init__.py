"""From which size a device pays for NumPy images: the answer, and measuring it.

A call reads `least.py`, which asks the user's table (`table.py`) where there is one; otherwise the
model (`model.py`) for the GPU and the shipped table (`cpu.json`) for the CPU. `works.py` says which
argument decides how long a function takes, `calls.py` with which images and arguments functions are
measured; `timing.py` and `tune.py` measure them on the user's machine, and `figure.py` draws that.
"""
