"""Command line: `python -m skimage_gpu_backend {run,explain,status,demo,tune,compile,cache}`."""

import argparse
import functools
import importlib
import logging
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

_NAME = "skimage-gpu-backend"
_EXAMPLES = """\
examples:
  python -m skimage_gpu_backend run segment.py --input cells.tif
  python -m skimage_gpu_backend run -m pytest tests
  SKIMAGE_BACKENDS_NOTIFY=all python -m skimage_gpu_backend run segment.py
  SKIMAGE_GPU_SIMULATOR=1 SKIMAGE_BACKENDS_MIN_SIZE=0 python -m skimage_gpu_backend run segment.py
  python -m skimage_gpu_backend run --profile segment.py
  python -m skimage_gpu_backend explain "filters.gaussian(image, 3)" --shape 2048,2048 --dtype uint8
  python -m skimage_gpu_backend explain filters.gaussian
  python -m skimage_gpu_backend status
  python -m skimage_gpu_backend demo
  python -m skimage_gpu_backend tune
  python -m skimage_gpu_backend tune gaussian filters.rank.mean --plot sizes.png
  python -m skimage_gpu_backend tune --device cpu
  python -m skimage_gpu_backend tune --reset
  python -m skimage_gpu_backend compile gaussian resize --arch 8.6 9.0 --into kernels
  python -m skimage_gpu_backend cache
"""

_COMMANDS = {
    "status": "show GPU, versions, the selection, what runs the functions, and folders of files",
    "demo": "run the example script without and with the backend, and compare",
}

_MODULES = {"status": "._status", "demo": ".demo"}


_PROFILE_OPTIONS = ("--profile", "--profile-json", "--trace")


def main():
    """Run the command that the command line names."""
    parser = _parser()
    with _output_may_be_cut():
        arguments = parser.parse_args()
        if arguments.command != "run":
            return _run_command(arguments)
    return _run_program(parser, arguments)


@contextmanager
def _output_may_be_cut():
    """End without a traceback where the reader of the output closes it, as ``head`` does."""
    try:
        try:
            yield
        finally:
            print(end="", flush=True)  # now, not when Python ends
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _run_command(arguments):
    if arguments.command == "tune":
        from .sizes import tune

        if arguments.reset:
            return tune.reset(arguments.device)
        return tune.main(arguments.functions, arguments.minutes, arguments.plot, arguments.device)
    if arguments.command == "explain":
        from .explain import main as explain

        return explain(arguments.call, arguments.shape, arguments.dtype)
    if arguments.command == "compile":
        from ._compile import main as compile_ahead

        return compile_ahead(arguments.functions, arguments.arch, arguments.jobs, arguments.into)
    if arguments.command == "cache":
        from ._cache import main as cache

        return cache(arguments.clear)
    return importlib.import_module(_MODULES[arguments.command], __package__).main()


def _run_program(parser, arguments):
    from .runner import run

    if not (arguments.module or arguments.script):
        parser.error("run needs a script or -m and a module")
    if arguments.script and not Path(arguments.script[0]).exists():
        parser.error(f"no script {arguments.script[0]!r}")
    for file in filter(None, (arguments.profile_json, arguments.trace)):
        try:  # now, not when the program has run for hours
            Path(file).write_text("")
        except OSError as error:
            parser.error(str(error))
    if arguments.verbose:
        logging.basicConfig(format="%(name)s: %(message)s")
        level = logging.INFO if arguments.verbose == 1 else logging.DEBUG
        logging.getLogger(__package__).setLevel(level)
    program = arguments.module or arguments.script
    if not (arguments.profile or arguments.profile_json or arguments.trace):
        for option in program[1:]:
            if option.partition("=")[0] in _PROFILE_OPTIONS:
                told = f"{option} is passed to {program[0]}; write options of `run` before it"
                print(f"{_NAME}: {told}", file=sys.stderr)
        return run(program, module=bool(arguments.module))
    from .profiling.command import run_profiled

    return run_profiled(
        lambda: run(program, module=bool(arguments.module)),
        report=arguments.profile,
        json_file=arguments.profile_json,
        trace_file=arguments.trace,
    )


class _Version(argparse.Action):
    """Looked up where it is asked for: a program that is run does not wait for it."""

    def __call__(self, parser, *of_option):
        from .sizes.machine import version

        print(_NAME, version(_NAME))
        parser.exit()


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m skimage_gpu_backend",
        description="Run unchanged scikit-image programs on an NVIDIA GPU.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version")
    exact = functools.partial(argparse.ArgumentParser, allow_abbrev=False)  # `--cl` deletes nothing
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="command", parser_class=exact
    )
    run = commands.add_parser(
        "run",
        help="run a script or module with the backend on",
        usage="python -m skimage_gpu_backend run [options] [-m module | script.py] arguments...",
        description="Run a program with the GPU backend selected, unless the environment"
        " selects backends itself. All that follows the program are its own arguments.",
    )
    run.add_argument(
        "--profile", action="store_true", help="tell at the end what ran where and why"
    )
    run.add_argument("--profile-json", metavar="FILE", help="write the profile as JSON")
    run.add_argument("--trace", metavar="FILE", help="write a timeline that Perfetto opens")
    run.add_argument(
        "-v", dest="verbose", action="count", default=0, help="log fallbacks; -vv: every call"
    )
    # each takes all that follows: what comes after the program is not for this parser
    run.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="module to run")
    run.add_argument("script", nargs=argparse.REMAINDER, help="script to run")
    explain = commands.add_parser(
        "explain",
        help="tell what a call would launch and move on the GPU, and why, without one",
        description="Tell what a call would launch and move on the GPU, and why. No GPU is needed."
        " Names in the call that are not Python's stand for arrays; np is NumPy.",
    )
    explain.add_argument(
        "call",
        help='as "filters.gaussian(image, 3)"; a name alone: what the function takes, and where',
    )
    explain.add_argument(
        "--shape", type=_shape, default=(2048, 2048), help="of the arrays; default: 2048,2048"
    )
    explain.add_argument("--dtype", default="float32", help="of the arrays; default: float32")
    tune = commands.add_parser(
        "tune",
        help="measure from which size a device pays, for each function",
        description="Measure on this machine from which size of NumPy images the GPU, or the cpu"
        " backend with one thread, is faster than scikit-image. What is measured is stored after"
        " each function; an interrupted run goes on where it was.",
    )
    tune.add_argument(
        "functions", nargs="*", help="functions to measure anew; default: all that are missing"
    )
    tune.add_argument(
        "--device", choices=("gpu", "cpu"), help="default: gpu where there is one, cpu otherwise"
    )
    tune.add_argument("--minutes", type=float, help="begin no further function after so long")
    tune.add_argument(
        "--reset", action="store_true", help="forget what was measured on this machine"
    )
    tune.add_argument("--plot", metavar="FILE", help="draw time against size for both sides")
    compile_ahead = commands.add_parser(
        "compile",
        help="compile kernels before they are called; CuPy is needed, but no GPU",
        description="Compile kernels before they are called, into an archive for each kind of GPU."
        " The loader looks into the archives of the cache folder and of the folders in"
        " SKIMAGE_GPU_KERNELS. CuPy is needed, which brings CUDA's compiler, but no GPU.",
    )
    compile_ahead.add_argument("functions", nargs="*", help="default: all that have kernels")
    compile_ahead.add_argument(
        "--arch",
        nargs="+",
        type=_capability,
        default=(),
        metavar="CAPABILITY",
        help="compute capabilities, as 8.6; default: of the GPUs here, without one all",
    )
    compile_ahead.add_argument("--jobs", type=_jobs, metavar="N", help="default: one for each core")
    compile_ahead.add_argument("--into", metavar="FOLDER", help="default: the cache folder")
    cache = commands.add_parser(
        "cache",
        help="show which folders keep compiled kernels and other files, and their sizes",
        description="Show which folders keep compiled kernels and other files, and their sizes.",
    )
    cache.add_argument("--clear", action="store_true", help="delete what is in them")
    for name, text in _COMMANDS.items():
        commands.add_parser(name, help=text, description=f"{text.capitalize()}.")
    return parser


def _shape(text):
    if not re.fullmatch(r"\(?\d+([,xX]\d+)*,?\)?", text.replace(" ", "")):
        raise argparse.ArgumentTypeError(f"{text!r} is no shape, as 2048,2048 or 2048x2048")
    return tuple(map(int, re.findall(r"\d+", text)))


def _capability(text):
    if not re.fullmatch(r"\d+\.?\d", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no compute capability, as 8.6")
    return text


def _jobs(text):
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
