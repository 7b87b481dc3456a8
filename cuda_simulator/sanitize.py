"""How to run Python with kernels under AddressSanitizer and UndefinedBehaviorSanitizer."""

import os
import subprocess

from . import compiler


def environment(sanitizers: str = "address,undefined") -> dict[str, str]:
    """Environment for a child process whose kernels are compiled with sanitizers.

    The child activates the simulator itself. A finding ends the process, with a report on its
    standard error.

    Parameters
    ----------
    sanitizers : str
        ``"address"``, ``"undefined"`` or both, separated by a comma.

    Returns
    -------
    dict of str to str
        This process's environment with the variables that the sanitizers need.

    Examples
    --------
    >>> import subprocess, sys  # doctest: +SKIP
    >>> subprocess.run([sys.executable, "script.py"], env=environment())  # doctest: +SKIP
    """
    # In this order: AddressSanitizer looks for libstdc++'s functions when it starts, and
    # Python itself does not load that library.
    preload = [_library("libasan.so")] if "address" in sanitizers else []
    preload += [_library("libubsan.so")] if "undefined" in sanitizers else []
    preload.append(_library("libstdc++.so.6"))
    return {
        **os.environ,
        "CUDA_SIMULATOR_SANITIZE": sanitizers,
        "LD_PRELOAD": ":".join(preload),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def _library(name):
    command = [*compiler.compiler(), f"-print-file-name={name}"]
    file = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.isabs(file):
        raise RuntimeError(f"{command[0]} has no {name}; sanitizers need g++ with its libraries")
    return file
