"""`python -m skimage_gpu_backend`: exit statuses, and what it says of wrong arguments."""

import os
import subprocess
import sys

import pytest

from skimage_gpu_backend import __main__ as command_line

OURS = ("-m", "skimage_gpu_backend")


@pytest.fixture
def command(monkeypatch):
    """Exit status of a command, in this process."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["skimage_gpu_backend", *arguments])
        try:
            return command_line.main()
        except SystemExit as end:
            return end.code

    return run


@pytest.mark.parametrize(
    "arguments", [("status",), ("cache",), ("--version",), ("explain", "filters.gaussian")]
)
def test_a_reader_that_closes_the_output_sees_no_traceback(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    ours = [sys.executable, *OURS, *arguments]
    done = subprocess.run(ours, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("filters.gaussian(image, 3)", 0),
        ("filters.gaussian(image, sigma=[[3]])", 1),
        ("filters.gaussian(image, sigm=3)", 1),
        ("filters.gaussian(image, -3)", 1),
        ("filters.gaussian()", 1),
    ],
)
def test_explain_fails_where_scikit_image_refuses_the_call(command, capsys, call, status):
    assert command("explain", call, "--shape", "64,64") == status
    assert ("scikit-image refuses" in capsys.readouterr().out) == bool(status)


@pytest.mark.parametrize(
    ("image", "reason"),
    [
        ("image.astype(complex)", "runs on the CPU: image has dtype complex128"),
        ("[[1.0, 2.0]]", "runs on the CPU: image=[[1.0, 2.0]] is a list"),
        ("np.ma.masked_array(image)", "runs on the CPU: image is a masked array"),
    ],
)
def test_explain_knows_images_that_no_device_takes(command, capsys, image, reason):
    assert command("explain", f"filters.gaussian({image}, 3)", "--shape", "64,64") == 0
    assert reason in capsys.readouterr().out


def test_explain_says_what_cannot_be_evaluated(command):
    said = command("explain", "filters.gaussian(image, 1 / 0)")
    assert said == "nothing to explain: 1 / 0 raises ZeroDivisionError: division by zero"


@pytest.mark.parametrize("shape", ["20,30", "20x30", "20,30,", "20X30", "(20, 30)"])
def test_a_shape_is_written_with_commas_or_an_x(command, capsys, shape):
    assert command("explain", "filters.sobel(image)", "--shape", shape) == 0
    assert "image 20 x 30 float32" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("explain", "filters.sobel(image)", "--shape=-1,5"), "is no shape, as 2048,2048"),
        (("explain", "filters.sobel(image)", "--shape", "large"), "is no shape, as 2048,2048"),
        (("compile", "sobel", "--arch", "ampere"), "is no compute capability, as 8.6"),
        (("compile", "sobel", "--jobs", "0"), "is no number from 1 on"),
        (("cache", "--clea"), "unrecognized arguments: --clea"),
    ],
)
def test_a_wrong_argument_is_refused_with_an_example(command, capsys, arguments, said):
    assert command(*arguments) == 2
    assert said in capsys.readouterr().err


def test_an_option_of_run_that_stands_behind_the_program_is_reported(python):
    program = python.script("import sys\nprint(sys.argv[1:])")
    done = python(*OURS, "run", program, "--profile-json=x", "-v")
    assert done.stdout == "['--profile-json=x', '-v']\n"
    assert f"--profile-json=x is passed to {program}; write options of `run` before" in done.stderr
    assert python(*OURS, "run", program, "--other").stderr == ""
    assert "is passed to" not in python(*OURS, "run", "--profile", program, "--profile").stderr


def test_compile_without_cupy_says_what_to_install(command, capsys, monkeypatch):
    from skimage_gpu_backend.device import compile as compiler

    monkeypatch.setitem(sys.modules, "cupy_backends", None)
    monkeypatch.delitem(sys.modules, "cupy_backends.cuda.libs", raising=False)
    compiler._nvrtc.cache_clear()
    assert command("compile", "sobel", "--arch", "8.6") == 2
    compiler._nvrtc.cache_clear()
    said = capsys.readouterr().err
    assert said == (
        'CuPy is not installed. What helps: pip install "skimage-gpu-backend[cuda12]"\n'
    )
