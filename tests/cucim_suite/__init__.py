"""Runs the test suite that cuCIM's wheel ships, unmodified, on the device under test.

The device is a GPU if there is one, else the simulator (``SKIMAGE_GPU_SIMULATOR=1`` takes
the simulator in any case)::

    pip install -e ".[cucim-suite]"
    pip install --no-deps cucim-cu12
    python -m tests.cucim_suite                     # everything
    python -m tests.cucim_suite color metrics -n 2  # two modules, in two processes

It writes ``docs/cucim_suite.md``. `expected.toml` lists the tests that fail, with their
causes; the command's exit status is 1 where a test fails that is not listed there, or one
passes that is.
"""
