"""From the user's call to a backend: what is selected, who takes the call, what is told.

CuPy is never imported here. `docs/dispatch.md` says why things are as they are.

- `hook`: makes the public functions dispatchable when scikit-image is imported
- `trampoline`: puts a dispatching code object into a function, and the old one back
- `_importlib_bootstrap`: the way of a call; its frames are invisible to warnings
- `selection`: which backends the user selected
- `block`: `use_backends`, which selects them for a block of code
- `registry`: the installed backends
"""
