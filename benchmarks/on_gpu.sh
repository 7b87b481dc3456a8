#!/usr/bin/env bash
# Runs the test suite and the benchmark on this machine's GPU and leaves log, JUnit XML and
# results in a folder.
#
#   benchmarks/on_gpu.sh OUT [WHEELS]
#
# OUT: folder for the results; WHEELS: folder with wheels to install first (cuCIM, test
# tools), without a network. Needs: Linux, an NVIDIA driver, Python with pip, CuPy, NumPy,
# SciPy, scikit-image and pytest. Nothing is downloaded. What is missing is said at the top
# of the log. SECONDS_FOR_TESTS (default 420) bounds the test run, SECONDS_FOR_BENCHMARK
# (default 300) the comparison with scikit-image and cuCIM, SECONDS_FOR_CUCIM (default 60)
# cuCIM's own tests.
set -uo pipefail

out=$(mkdir -p "${1:?usage: on_gpu.sh OUT [WHEELS]}" && cd "$1" && pwd)
wheels=${2:-}
cd "$(dirname "$0")/.."
budget=${SECONDS_FOR_TESTS:-420}
python=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

site=$(mktemp -d)
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
exec > >(tee "$out/log.txt") 2>&1

echo "== install (no network) into $site"
offline=(--quiet --no-index --no-deps --no-compile --no-cache-dir --target "$site")
if [ -n "$wheels" ]; then
    "$python" -m pip install "${offline[@]}" "$wheels"/*.whl || echo "some wheel of $wheels was not installed"
fi
# A regular install of the checkout where its build backend is there; else the same files.
if ! "$python" -m pip install "${offline[@]}" --no-build-isolation .; then
    echo "hatchling is missing: copying the package as the wheel lays it out"
    "$python" - "$site" <<'PY'
import shutil, sys, tomllib
from pathlib import Path
site = Path(sys.argv[1])
project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
package = site / "skimage_gpu_backend"
shutil.copytree("skimage_gpu_backend", package, dirs_exist_ok=True)
for folder in ("kernels", "examples"):
    shutil.copytree(folder, package / folder, dirs_exist_ok=True)
info = site / f"skimage_gpu_backend-{project['version']}.dist-info"
info.mkdir(exist_ok=True)
(info / "METADATA").write_text(
    f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
)
(info / "entry_points.txt").write_text(
    "\n".join(
        f"[{group}]\n" + "\n".join(f"{name} = {target}" for name, target in entries.items())
        for group, entries in project["entry-points"].items()
    )
)
PY
fi

echo "== device"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || echo "no nvidia-smi"
git log -1 --format='commit %h %s' 2>/dev/null || true
"$python" -m skimage_gpu_backend status

echo "== tests, ${budget} s at most"
# The tests that judge what runs on the device come first, so that a cut run has them.
timeout --signal=INT --kill-after=30 "$budget" \
    "$python" -m pytest -p no:cacheprovider --junitxml="$out/junit.xml" -m "" \
    tests/ops tests/adapt tests/dispatch tests/test_*.py tests/accept tests/differential \
    tests/simulator tests/packaging tests/kernels
status=$?
echo "== pytest ended with $status (124: the time was up)"

echo "== scikit-image, cuCIM and the backend side by side, ${SECONDS_FOR_BENCHMARK:-300} s at most"
timeout --signal=INT --kill-after=30 "$((${SECONDS_FOR_BENCHMARK:-300} + 60))" \
    "$python" -m benchmarks --limit 5 --seconds "${SECONDS_FOR_BENCHMARK:-300}" > "$out/benchmark.log" 2>&1 \
    || tail -5 "$out/benchmark.log"
cp -r benchmarks/results "$out/" || true

echo "== cuCIM's own tests, ${SECONDS_FOR_CUCIM:-60} s at most"
timeout --signal=INT --kill-after=30 "${SECONDS_FOR_CUCIM:-60}" \
    "$python" -m tests.cucim_suite color metrics exposure util measure feature
cp docs/cucim_suite.md "$out/" || true
exit "$status"
