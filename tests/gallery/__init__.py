"""The examples of scikit-image's gallery, without and with the backend: the same results?

    python -m tests.gallery [part of a name ...] [-n PROCESSES]

runs every script of the gallery of the installed scikit-image twice, each time in a process of
its own: as it is, and with the backend forced on for images of every size. It compares what was
printed and the variables that the script leaves (arrays, numbers, and tuples, lists and
dicts of them), and writes ``docs/gallery.md``. Scripts that do not run as they are, for want of
a download or of another package (some import pandas, plotly or seaborn), are not counted. Random
numbers are seeded.
"""
