"""Makes demo.jpg, the picture at the top of the README: input, result, and where each call ran.

The program is the demo's, unchanged. Without a GPU:

    SKIMAGE_GPU_SIMULATOR=1 python docs/images/demo.py
"""

import os
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

import cuda_simulator
from skimage_gpu_backend import enable, use_backends
from skimage_gpu_backend.catalog import spoken
from skimage_gpu_backend.demo import SCRIPT, run_script

HERE = Path(__file__).resolve().parent
SOURCES = {"kernel": ("kernel of this package", "tab:green"), "cucim": ("cuCIM", "tab:blue")}
ON_CPU = ("CPU: the copy takes longer", "0.5")


def main():
    os.environ["SKIMAGE_BACKENDS_NOTIFY"] = "none"
    enable()
    with tempfile.TemporaryDirectory() as folder:
        outlined = Path(folder, "outlined.png")
        with use_backends("gpu", output="resident"):
            calls, printed = run_script(SCRIPT, outlined)
        draw(calls[0].args[0], plt.imread(outlined), calls, printed)


def draw(image, result, calls, printed):
    figure, axes = plt.subplots(1, 3, figsize=(12, 5), width_ratios=(1, 1, 0.7))
    device = "simulated GPU" if cuda_simulator.active() else "GPU"
    titles = ("input", printed.partition(",")[0], f"where each call ran ({device})")
    for axis, title in zip(axes, titles, strict=True):
        axis.set_title(title, fontsize=12)
        axis.set_axis_off()
    axes[0].imshow(image)
    axes[1].imshow(result)
    names = list(dict.fromkeys(call.name for call in calls))
    ran = {call.name: call.source if call.backend else None for call in calls}
    for line, name in enumerate(names):
        told, colour = SOURCES.get(ran[name], ON_CPU)
        height = 1 - (line + 0.5) / len(names)
        axes[2].plot(0, height, "o", color=colour, markersize=8)
        axes[2].text(
            0.05, height + 0.017, spoken(name), va="center", family="monospace", fontsize=9
        )
        axes[2].text(0.05, height - 0.021, told, va="center", color=colour, fontsize=8)
    axes[2].set(xlim=(-0.03, 1), ylim=(0, 1))
    figure.tight_layout()
    figure.savefig(HERE / "demo.jpg", dpi=130, pil_kwargs={"quality": 85})


if __name__ == "__main__":
    main()
