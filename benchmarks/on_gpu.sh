#!/usr/bin/env bash
# Measures and tests this project on this machine's GPU.
#
#   benchmarks/on_gpu.sh OUT [--wheels FOLDER] [--PART SECONDS ...]
#
# The parts, in this order, with their seconds:
#   table 150        ten functions and five scripts next to scikit-image, NumPy arrays: the README's
#   transfers 20     copies between host and device alone
#   functions 120    all functions next to scikit-image and cuCIM; first morphology, measure,
#                    segmentation, restoration, transform and registration
#   launches 120     one launch of each kernel file
#   tests 180
#   conformance 90   scikit-image's own suite
#   programs 300     whole programs
#   sizes 45         from which size the GPU pays
# A part with 0 seconds is left out. The same command continues where each part was cut, and does
# not repeat what is finished. OUT gets logs, JUnit XML, and, in a folder for the device, JSON and
# Markdown.
# Needs: Linux, an NVIDIA driver, Python with pip, CuPy, NumPy, SciPy, scikit-image and pytest.
# Nothing is downloaded: what else is to be installed (cuCIM, hypothesis, pytest-xdist,
# platformdirs, rich ...) and scikit-image's source distribution lie in the folder of wheels.
# What is missing is said in the log. SKIMAGE_GPU_SIMULATOR=1 tries it out without a GPU.
set -uo pipefail

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
out= wheels=
declare -A seconds=([table]=150 [transfers]=20 [functions]=120 [launches]=120 [tests]=180
    [conformance]=90 [programs]=300 [sizes]=45)
while [ $# -gt 0 ]; do
    case $1 in
        --wheels) wheels=$(cd "${2:?}" && pwd) || usage; shift 2 ;;
        --*) [ -n "${seconds[${1#--}]:-}" ] || usage; seconds[${1#--}]=${2:?}; shift 2 ;;
        -*) usage ;;
        *) [ -z "$out" ] || usage; out=$1; shift ;;
    esac
done
[ -n "$out" ] || usage
out=$(mkdir -p "$out" && cd "$out" && pwd)
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
exec > >(tee -a "$out/log.txt") 2>&1

# NAME SECONDS COMMAND...: run a part within its time, its output in OUT/NAME.log
part() {
    [ "$2" -gt 0 ] || return 0
    if [ -e "$out/$1.done" ]; then echo "== $1: done before"; return 0; fi
    echo "== $1, $2 s at most"
    timeout --foreground --signal=INT --kill-after=30 "$2" "${@:3}" >> "$out/$1.log" 2>&1
    local status=$?
    tail -n 4 "$out/$1.log" | cut -c1-300
    [ "$status" != 0 ] || touch "$out/$1.done"
    [ "$status" = 124 ] || [ "$status" = 137 ] && echo "== $1: the time was up; run again to go on"
    return "$status"
}

site=$out/site
export PYTHONPATH="$site${PYTHONPATH:+:$PYTHONPATH}"
if [ ! -d "$site" ]; then
    echo "== install (no network) into $site"
    offline=(--quiet --no-index --no-deps --no-compile --no-cache-dir --target "$site")
    if [ -n "$wheels" ]; then
        "$python" -m pip install "${offline[@]}" "$wheels"/*.whl || echo "some wheel of $wheels was not installed"
    fi
    # A regular install of the checkout where its build backend is there; else the same files.
    "$python" -m pip install "${offline[@]}" --no-build-isolation . || "$python" - "$site" <<'PY'
import shutil, sys, tomllib
from pathlib import Path
print("hatchling is missing: copying the package as the wheel lays it out")
site = Path(sys.argv[1])
project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
package = site / "skimage_gpu_backend"
for name in ("skimage_gpu_backend", "cuda_simulator"):
    shutil.copytree(name, site / name, dirs_exist_ok=True)
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
[ -z "$wheels" ] || export PIP_FIND_LINKS=$wheels

part table "${seconds[table]}" "$python" -m benchmarks.table --out "$out"
cat "$out"/*/table.md
part transfers "${seconds[transfers]}" "$python" -m benchmarks.transfers --out "$out"
untimed=(morphology: measure: segmentation: restoration: transform: registration:)
begin=$SECONDS
part functions "${seconds[functions]}" "$python" -m benchmarks "${untimed[@]}" --out "$out"
left=$((seconds[functions] - (SECONDS - begin)))
[ "$left" -lt 10 ] || part all-functions "$left" "$python" -m benchmarks --out "$out"

echo "== device"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || echo "no nvidia-smi"
git log -1 --format='commit %h %s' 2>/dev/null || true
"$python" -m skimage_gpu_backend status

# what CuPy answers otherwise than its stand-in, and what the device or its compiler refuses
part probes "${seconds[launches]}" "$python" -m tests.simulator.probes
part launches "${seconds[launches]}" "$python" -m tests.kernels.first_launches \
    --resume "$out/launches.txt"

processes=1
"$python" -c 'import xdist' 2>/dev/null && processes=$(($(nproc) < 16 ? $(nproc) : 16))
workers=()
[ "$processes" = 1 ] || workers=(-n "$processes" --dist worksteal)
# The quick ones first, and of them those that judge what runs on the device; then all.
run_tests() {
    part "$1" "$2" "$python" -m pytest -p no:cacheprovider -p tests.resume \
        --resume "$out/tests.jsonl" --junitxml="$out/$1-$(date +%s).xml" "${workers[@]}" -m "$3" \
        tests/functions tests/adapt tests/dispatch tests/test_*.py tests/differential tests
}
begin=$SECONDS
run_tests tests "${seconds[tests]}" "not thorough and not exhaustive"
status=$?
left=$((seconds[tests] - (SECONDS - begin)))
[ "$left" -lt 30 ] || run_tests thorough-tests "$left" "not exhaustive"

# modules with most kernels first
part conformance "${seconds[conformance]}" \
    "$python" -m tests.conformance --resume "$out/conformance" -n "$processes" \
    metrics exposure color transform feature filters util restoration registration measure \
    segmentation morphology
if [ "${seconds[programs]}" -gt 0 ]; then
    # calls that another package's backend and this one's could both run; the proposal's script
    part toy 60 "$python" examples/toy_backend/try_it.py
    part proposal 120 "$python" -m skimage_gpu_backend run --profile examples/proposal.py
    part programs "${seconds[programs]}" "$python" -m benchmarks.programs --out "$out"
fi
if [ "${seconds[sizes]}" -gt 0 ]; then
    part sizes "$((${seconds[sizes]} + 60))" env XDG_CONFIG_HOME="$out" "$python" \
        -m skimage_gpu_backend tune --minutes "$(awk "BEGIN {print ${seconds[sizes]} / 60}")" \
        --plot "$out/sizes.png"
    # its exit status is 0, too, where its minutes were over
    grep -q "functions are measured" "$out/sizes.log" || rm -f "$out/sizes.done"
fi
cp docs/conformance.md "$out/"
cp tests/conformance/results.json "$out/conformance.json"
exit "$status"
