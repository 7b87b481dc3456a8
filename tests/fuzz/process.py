"""Calls in a process of their own, which may end or go on without an end.

Imports no CuPy before the device is chosen.
"""

import itertools
import multiprocessing

from skimage_gpu_backend.availability import choose_device

_PATIENCE = 120  # seconds, after which a call is said to have no end


def events(functions, seed, count):
    """What became of each call; they run in a process that may end."""
    from .run import Event, Found

    context, done, known = multiprocessing.get_context("spawn"), 0, set()
    waits = context.Value("b", 0)  # for scikit-image
    while done < count:
        ours, theirs = context.Pipe()
        arguments = (functions, seed, done, count, known, theirs, waits)
        process = context.Process(target=_calls, args=arguments, daemon=True)
        process.start()
        theirs.close()
        begun = None
        try:
            while done < count:
                if not ours.poll(_PATIENCE):
                    raise TimeoutError(f"no end after {_PATIENCE} s")
                message = ours.recv()
                if not isinstance(message, Event):
                    begun = message
                    continue
                done += 1
                known |= {(found.name, found.kind) for found in message.found}
                yield message
        except (EOFError, OSError) as error:
            if begun is None:
                raise
            process.join(5)  # it is ending, if it is
            process.kill()
            process.join()
            told = str(error) or f"the process ended with {process.exitcode}"
            done += 1
            if waits.value and isinstance(error, TimeoutError):  # LAPACK of what is not finite, say
                yield Event(*begun, {}, too_large=True)
                continue
            yield Event(*begun, {}, found=[Found(begun[0], "ended", told, begun[1])])
        finally:
            process.kill()


def _calls(functions, seed, done, count, known, pipe, waits):
    choose_device()
    from . import compare
    from .run import one, plan

    compare.waits = waits
    for name, call in itertools.islice(plan(functions, seed), done, count):
        pipe.send((name, call))
        event = one(name, call, known)
        known |= {(found.name, found.kind) for found in event.found}
        pipe.send(event)
