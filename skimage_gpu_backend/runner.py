"""`python -m skimage_gpu_backend run`: any program with the backend on, as `python` runs it."""

import builtins
import os
import pkgutil
import sys
from importlib import machinery, util

from .dispatch.startup import start_selected


def run(arguments, *, module=False):
    """Run a script or a module as ``__main__``, with scikit-image on the GPU backend.

    A selection that the environment already makes is kept, else ``gpu`` is selected, for
    child processes too. ``__main__`` stays the program's own until Python ends: what runs
    after it, as threads and functions of `atexit`, may pickle functions for child processes.
    For this reason it is not left to `runpy`.

    Parameters
    ----------
    arguments : list of str
        Path of the script, or name of the module, and its own arguments.
    module : bool, optional
        Whether the program is given as a module, as by ``python -m``.
    """
    start_selected()
    sys.argv[:] = arguments
    before = sys.modules["__main__"]
    try:
        code = _module(arguments[0]) if module else _script(arguments[0])
        exec(code, vars(sys.modules["__main__"]))
    except SystemExit:
        raise
    except BaseException as error:
        # shown without the frames that have called the program; Python then ends as it would
        main = sys.modules["__main__"]
        _show(error, None if main is before else vars(main))
        raise


def _module(name):
    """Code of a module; it becomes ``__main__``."""
    # Python put the working directory first for our own `-m`, as it would for theirs
    spec = _found(name)
    if spec.submodule_search_locations is not None:  # a package
        spec = _found(f"{name}.__main__")
    code = spec.loader.get_code(spec.name)
    if code is None:
        sys.exit(f"{sys.executable}: No code object available for {name}")
    _become(spec)
    sys.argv[0] = spec.origin
    return code


def _found(name):
    try:
        spec = util.find_spec(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # a package that it is in lacks another module
        spec = None
    if spec is None:
        sys.exit(f"{sys.executable}: No module named {name}")
    return spec


def _script(program):
    """Code of a script, or of a folder's or an archive's ``__main__.py``, as `_module`."""
    path = os.path.abspath(program)
    if pkgutil.get_importer(path) is not None:
        if sys.flags.safe_path:  # nothing was put there for our own `-m`
            sys.path.insert(0, path)
        else:
            sys.path[0] = path
        spec = machinery.PathFinder.find_spec("__main__", [path])
        if spec is None:
            sys.exit(f"{sys.executable}: can't find '__main__' module in {path!r}")
        _become(spec)
        return spec.loader.get_code("__main__")
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    compiled = path.endswith(".pyc")
    kind = machinery.SourcelessFileLoader if compiled else machinery.SourceFileLoader
    loader = kind("__main__", path)
    main = _become(util.spec_from_file_location("__main__", path, loader=loader))
    main.__spec__ = main.__package__ = main.__cached__ = None
    if compiled:
        return loader.get_code("__main__")
    return loader.source_to_code(loader.get_data(path), path)


def _become(spec):
    """Make a new module of this specification ``__main__``."""
    main = sys.modules["__main__"] = util.module_from_spec(spec)
    main.__name__ = "__main__"
    main.__builtins__ = builtins
    return main


def _show(error, program):
    """Have the program's `sys.excepthook` show an exception, and nobody else after it."""
    whole = inside = error.__traceback__
    while inside is not None and inside.tb_frame.f_globals is not program:
        inside = inside.tb_next
    if inside is None and not isinstance(error, SyntaxError):  # which says itself where it is
        inside = whole  # in a package around the module
    sys.excepthook(type(error), error.with_traceback(inside), inside)
    sys.excepthook = lambda *shown: None
