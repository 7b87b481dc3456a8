"""Calls with Dask arrays: graphs whose tasks are the ordinary calls of their chunks.

Dask is not imported until there is one of its arrays, and then it has been. Nothing is computed
while a graph is built.
"""
