"""scikit-image's own tests, without and with every supported function on the backend.

    python -m tests.conformance [module ...] [-n PROCESSES]

fetches the source distribution of the installed scikit-image from the package index, without
building it, and runs its tests twice in this environment: as they are, and with the backend
forced on (``SKIMAGE_BACKENDS_MIN_SIZE=0``), on a GPU if there is one, else on the simulator. It
prints, and writes to ``docs/conformance.md``, by module: tests that pass, how many calls of
scikit-image's functions really ran on the device, and every test that passes as it is and
fails with the backend. Tests that fail as they are, for want of a download say, count on
neither side. A test is excused in ``excused.toml`` only.
"""
