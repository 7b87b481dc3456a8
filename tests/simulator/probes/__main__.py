"""Holds CuPy on this machine's GPU against the tables; fails where one line differs."""

import sys

from tests.simulator.probes import difference, probes


def main():
    """Print what differs; the exit status tells whether anything did."""
    import cupy as cp

    lines = probes()
    name = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"CuPy {cp.__version__} on {name}: {len(lines)} probes", flush=True)
    found = 0
    for probe in lines:
        different = difference(probe)
        if different is not None:
            found += 1
            print(f"{probe} -> {probe.answer}\n    {different}", flush=True)
    print(f"{found} of {len(lines)} differ")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
