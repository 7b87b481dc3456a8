"""Makes trace_calls.png and trace_kernels.png: a timeline in the viewer speedscope.

The program is examples/registration.py; speedscope shows one process of a trace at a time.

    npm install speedscope
    SKIMAGE_GPU_SIMULATOR=1 python docs/images/trace.py node_modules/speedscope chromium
"""

import base64
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from skimage_gpu_backend import profile, use_backends

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SCRIPT = "examples/registration.py"
PROCESSES = {"calls": 1, "kernels": 2}  # as in the trace


def main(speedscope, browser):
    viewer = Path(speedscope).resolve() / "dist" / "release" / "index.html"
    os.environ["SKIMAGE_BACKENDS_MIN_SIZE"] = "0"
    os.chdir(ROOT)
    sys.argv = [SCRIPT]
    with use_backends("gpu"):
        runpy.run_path(SCRIPT)  # loads the kernels
        with profile(trace=True) as taken:
            runpy.run_path(SCRIPT)
    with tempfile.TemporaryDirectory() as folder:
        taken.trace.save(Path(folder, "trace.json"))
        events = json.loads(Path(folder, "trace.json").read_text())["traceEvents"]
        for name, process in PROCESSES.items():
            shown = json.dumps([event for event in events if event["pid"] == process])
            content = base64.b64encode(shown.encode()).decode()
            loader = Path(folder, f"{name}.js")
            loader.write_text(f"speedscope.loadFileFromBase64('trace.json', '{content}')")
            picture(f"file://{viewer}#localProfilePath={loader}", name, browser)


def picture(url, name, browser):
    command = [browser, "--headless", "--no-sandbox", "--window-size=1000,220"]
    command += ["--force-device-scale-factor=2"]  # as wide as the page, and sharp
    command += ["--virtual-time-budget=9000", f"--screenshot={HERE / f'trace_{name}.png'}", url]
    subprocess.run(command, check=True, timeout=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
