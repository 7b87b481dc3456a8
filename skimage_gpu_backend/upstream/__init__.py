"""Is the installed scikit-image one whose functions this package knows?

- `layout`: where scikit-image defines its functions, and what wraps them
- `sources`: scikit-image's modules, read and not imported, and where a name is defined
- `digest`: a digest of a function's source and of all that it uses inside scikit-image
- `check`: whether the digest of the installed function is a recorded one
- ``digests.json``: the recorded digests; ``python -m tests.record_digests`` writes it
"""
