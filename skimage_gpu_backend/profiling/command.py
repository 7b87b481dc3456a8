"""`python -m skimage_gpu_backend run --profile`: a program, and the report at its end."""

import os

from rich.console import Console

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
    os.environ.setdefault("SKIMAGE_GPU_NOTIFY", "none")  # the report tells
    process = os.getpid()
    try:
        with profile(trace=bool(trace_file)) as taken:
            return run()
    finally:
        if os.getpid() == process:  # and not a child that was forked and ends here too
            if report:
                show(taken, Console(stderr=True))
            if json_file:
                write_json(taken, json_file)
            if trace_file:
                taken.trace.save(trace_file)
