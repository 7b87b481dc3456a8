"""On what grounds a difference is excused: each asks one thing of a call and its results.

A module for each of ``tests/fuzz/excuses``.
"""
