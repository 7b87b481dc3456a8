"""`python -m skimage_gpu_backend compile`: kernels compiled before they are called."""

import itertools
import json
import os
import sys
import zipfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from . import _words, functions
from .availability import advice, capability, require_device
from .catalog import CATALOG
from .device import compile as compiler
from .device import cubins
from .device.source import kernel_source
from .trouble import DeviceTrouble, KernelCompileError

CAPABILITIES = ("70", "75", "80", "86", "89", "90", "100", "120")
AT_ONCE = 16  # kernels in one module, which share the work of reading the source


def main(names, capabilities, jobs, into):
    """Compile kernels into archives that the loader finds.

    Parameters
    ----------
    names : sequence of str
        Functions as users write them; all that have kernels where there are none.
    capabilities : sequence of str
        Compute capabilities as ``"8.6"`` or ``"86"``; that of the GPUs here where there are none,
        and where there is no GPU either, all.
    jobs : int or None
        Compilations at a time.
    into : str or None
        Folder; the cache folder where there is none.

    Returns
    -------
    int
        Exit status.
    """
    try:
        kernels = dict.fromkeys(kernels_of(names))
        targets = [compiler.target_of(each.replace(".", "")) for each in capabilities or _devices()]
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    except DeviceTrouble as error:
        helps = advice(error.reason)
        print(error.reason + f". What helps: {helps}" * bool(helps), file=sys.stderr)
        return 2
    folder = Path(into) if into else cubins.folder()
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for target in dict.fromkeys(targets):
        path = folder / f"{target}.zip"
        failed += update(path, kernels, target, jobs or os.cpu_count())
        print(f"{path}: {_words.size(path.stat().st_size)}")
    for error in failed:
        print(error, file=sys.stderr)
    return bool(failed)


def kernels_of(names):
    """Pairs of source and expression that functions can ask for; LookupError for unknown names."""
    if not names:
        return functions.kernels()
    meant = [_words.catalog_names(name, CATALOG) for name in names]
    return functions.kernels(itertools.chain.from_iterable(meant))


def update(path, kernels, target, jobs):
    """Have `kernels` in the archive at `path`, which keeps what is there and still of use.

    Returns
    -------
    list of KernelCompileError
        Of those that do not compile.
    """
    keys = {
        cubins.key(kernel_source(source), expression, target): (source, expression)
        for source, expression in kernels
    }
    modules, index = _there(path, target)
    missing = defaultdict(list)
    for key, (source, expression) in keys.items():
        if key not in index:
            missing[source].append((expression, key))
    groups = [
        (source, wanted[start : start + AT_ONCE])
        for source, wanted in missing.items()
        for start in range(0, len(wanted), AT_ONCE)
    ]
    failed = []
    try:
        for wanted, image in _compiled(groups, target, jobs, failed):
            member = wanted[0][1]
            modules[member] = image.code
            index |= {key: (member, image.names[expression]) for expression, key in wanted}
    finally:
        if groups or not path.exists():
            _write(path, modules, index)
    return failed


def _there(path, target):
    """Modules and index of an archive, without those kernels whose text is another now."""
    try:
        with zipfile.ZipFile(path) as archive:
            index = json.loads(archive.read(cubins.INDEX))
            known = {
                cubins.key(kernel_source(source), expression, target)
                for source, expression in functions.kernels()
            }
            index = {key: found for key, found in index.items() if key in known}
            return {member: archive.read(member) for member, _ in index.values()}, index
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return {}, {}


def _compiled(groups, target, jobs, failed):
    """Groups with their modules as they are made; errors are put into `failed`."""
    from rich.console import Console
    from rich.progress import Progress

    def compile_group(source, wanted):
        expressions = [expression for expression, _ in wanted]
        return compiler.compile_image(kernel_source(source), source, expressions, target)

    with ThreadPoolExecutor(jobs) as pool, Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(target, total=sum(len(wanted) for _, wanted in groups))
        asked = {pool.submit(compile_group, *group): group for group in groups}
        for future in as_completed(asked):
            _, wanted = asked[future]
            try:
                yield wanted, future.result()
            except KernelCompileError as error:
                failed.append(error)
            bar.advance(task, len(wanted))


def _write(path, modules, index):
    """Write an archive; it appears whole or not at all."""
    scratch = path.with_suffix(f".{os.getpid()}.tmp")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(cubins.INDEX, json.dumps(index))
        for member, code in sorted(modules.items()):
            archive.writestr(zipfile.ZipInfo(member), code, zipfile.ZIP_LZMA)
    os.replace(scratch, path)


def _devices():
    """Compute capabilities of the GPUs here, or of all that kernels are compiled for."""
    try:
        require_device()
    except DeviceTrouble:
        return CAPABILITIES
    import cupy as cp

    return [capability(i) for i in range(cp.cuda.runtime.getDeviceCount())]
