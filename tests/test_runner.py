"""`python -m skimage_gpu_backend run` is `python`, with the backend on."""

import json
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUN = ("-m", "skimage_gpu_backend", "run")
REPORT = """
import json, os, sys
report = {
    "argv": sys.argv,
    "path": sys.path,
    "name": __name__,
    "file": __file__,
    "package": __package__,
    "spec": __spec__ and __spec__.name,
    "main": vars(sys.modules["__main__"]) is globals(),
    "backends": os.environ.get("SKIMAGE_BACKENDS"),
}
print(json.dumps(report))
"""


def report(done):
    return json.loads(done.stdout)


@pytest.fixture
def script(python):
    folder = python.directory / "scripts"
    folder.mkdir()
    return python.script(REPORT, "scripts/reporter.py")


def test_a_script_sees_what_it_would_see_without_us(python, script):
    arguments = ("-m", "--help", "-c", "--", "image.png")
    ours = report(python(*RUN, script, *arguments))
    plain = report(python(script, *arguments))
    assert ours.pop("backends") == "gpu"
    assert plain.pop("backends") is None
    assert ours == plain


def test_a_module_sees_what_it_would_see_without_us(python, script):
    python.path.append(str(script.parent))
    ours = report(python(*RUN, "-m", "reporter", "-m", "--x"))
    plain = report(python("-m", "reporter", "-m", "--x"))
    assert ours.pop("backends") == "gpu"
    plain.pop("backends")
    assert ours == plain


@pytest.mark.parametrize(
    "program",
    [
        ("scripts/reporter.py",),
        ("scripts",),
        ("scripts.zip",),
        ("-m", "scripts"),
        ("-m", "scripts.reporter"),
    ],
)
@pytest.mark.parametrize("options", [(), ("-P",)], ids=["", "safe path"])
def test_all_kinds_of_programs(python, script, program, options):
    if options:
        python.path += [str(python.directory), str(ROOT)]
    (script.parent / "__main__.py").write_text(REPORT)
    (script.parent / "__init__.py").touch()
    with zipfile.ZipFile(python.directory / "scripts.zip", "w") as archive:
        archive.writestr("__main__.py", REPORT)
    ours = report(python(*options, *RUN, *program, "x"))
    plain = report(python(*options, *program, "x"))
    assert ours.pop("backends") == "gpu"
    plain.pop("backends")
    assert ours == plain


CHAINED = """
def f():
    1 / 0
try:
    f()
except ArithmeticError as error:
    raise OSError from error
"""
HOOK = "import sys\nsys.excepthook = lambda *shown: print(shown[2].tb_next)\n1 / 0"


@pytest.mark.parametrize(
    ("options", "program"),
    [
        ((), CHAINED),
        (("--profile-json", "profile.json"), CHAINED),
        ((), "x = (1"),
        ((), "raise KeyboardInterrupt"),
        ((), "raise SystemExit('a message')"),
        ((), HOOK),
    ],
)
def test_a_program_that_fails_does_so_as_without_us(python, options, program):
    script = python.script(program)
    ours, plain = python(*RUN, *options, script, check=False), python(script, check=False)
    assert ours.returncode == plain.returncode != 0
    assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)


def test_a_module_that_is_not_there(python):
    python.script("import no_such_module", "lacking.py")
    for module in ("nowhere", "nowhere.inside", "json.tool.inside"):
        done = python(*RUN, "-m", module, check=False)
        assert done.returncode == 1
        assert done.stderr.endswith(f"No module named {module}\n")
        assert "Traceback" not in done.stderr
    done = python(*RUN, "-m", "lacking.inside", check=False)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_a_script_is_main_also_for_its_children_and_when_it_has_ended(python):
    python.script(
        "import atexit, multiprocessing, os, pickle\n"
        "def double(value):\n"
        "    print(2 * value)\n"
        "if __name__ == '__main__':\n"
        "    os.mkdir('elsewhere')\n"
        "    os.chdir('elsewhere')\n"
        "    child = multiprocessing.get_context('spawn').Process(target=double, args=(21,))\n"
        "    child.start()\n"
        "    child.join()\n"
        "    atexit.register(lambda: pickle.loads(pickle.dumps(double))(4))\n",
        "relative.py",
    )
    assert python(*RUN, "relative.py").stdout == "42\n8\n"


def test_a_selection_that_the_user_made_is_kept(python, script):
    done = python(*RUN, script, SKIMAGE_BACKENDS="cucim, gpu")
    assert report(done)["backends"] == "cucim, gpu"
    done = python(*RUN, script, SKIMAGE_DISPATCHING="True")
    assert report(done)["backends"] is None


def test_calls_are_dispatched_in_the_program_and_in_its_children(python):
    program = python.script(
        "import multiprocessing, sys\n"
        "import numpy as np\n"
        "from skimage.metrics import mean_squared_error\n"
        "def call(value):\n"
        "    mean_squared_error(np.full((9, 9), value), np.ones((9, 9)))\n"
        "if __name__ == '__main__':\n"
        "    call(0.0)\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        pool.map(call, [0.0])\n"
    )
    environment = {
        "SKIMAGE_GPU_SIMULATOR": "1",
        "SKIMAGE_BACKENDS_MIN_SIZE": "0",
        "SKIMAGE_BACKENDS_NOTIFY": "all",
    }
    done = python(*RUN, program, **environment)
    assert done.stderr.count("was dispatched to the 'gpu' backend") == 2


def test_the_program_s_exit_status_is_ours(python):
    program = python.script("import sys; sys.exit(7)")
    assert python(*RUN, program, check=False).returncode == 7


@pytest.mark.parametrize(
    ("arguments", "message"), [((), "run needs a script"), (("nowhere.py",), "no script 'nowhere")]
)
def test_a_missing_program_is_an_error_in_one_line(arguments, message, python):
    done = python(*RUN, *arguments, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_help_shows_commands_that_can_be_copied(python):
    text = python("-m", "skimage_gpu_backend", "--help").stdout
    assert text.count("python -m skimage_gpu_backend ") >= 5
    for command in ("run", "status", "demo"):
        assert f"python -m skimage_gpu_backend {command}" in text
