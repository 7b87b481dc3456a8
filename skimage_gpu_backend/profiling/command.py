"""`python -m skimage_gpu_backend run --profile`: a program, and the report at its end."""

import os

from rich.console import Console

from .. import notify
from .children import watched
from .profile import profile
from .report import show, write_json


def run_profiled(run, *, report, json_file, trace_file):
    """Run a program and write what its profile says, also if the program ends by an exception.

    Parameters
    ----------
    run : callable
        Runs the program.
    report : bool
        Whether the report is printed, on standard error: the program's own output stays whole.
    json_file, trace_file : str or None
        Files to write.
    """
    notify.reported = "SKIMAGE_BACKENDS_NOTIFY" not in os.environ
    process = os.getpid()
    with watched() as add_children:
        try:
            with profile(trace=bool(trace_file)) as taken:
                return run()
        finally:
            if os.getpid() == process:  # and not a child that was forked and ends here too
                add_children(taken)
                _write(taken, report, json_file, trace_file)


def _write(taken, report, json_file, trace_file):
    if report:
        show(taken, Console(stderr=True))
    if json_file:
        write_json(taken, json_file)
    if trace_file:
        taken.trace.save(trace_file)
