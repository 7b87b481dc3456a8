"""`over`: a function of one image for each image of a stack."""

import contextlib
import functools

import numpy as np

from ._over_whole import batched, has_a_form, parts, takes_leading_axis
from .adapt.kinds import CUPY, NUMPY, kind_of
from .adapt.resident import block_of
from .availability import require_device
from .dispatch.selection import Selection, current, selected
from .environ import reader
from .execute import guarded, staying
from .trouble import DeviceTrouble

_LEAST = 16 << 10  # bytes of an image; smaller results do not stay on the device
_min_size = reader("SKIMAGE_BACKENDS_MIN_SIZE")


def over(images, function, axis=0):
    """A function of one image for each image of a stack, with the stack moved once.

    What ``np.stack([function(image) for image in images])`` gives, with or without a device.

    Parameters
    ----------
    images : (N, ...) array
        NumPy array, CuPy array, or device array of another library (PyTorch, JAX), whose kind the
        results have. Anything else is taken as ``numpy.asarray`` takes it.
    function : callable
        Takes an image, and does not write into it. Arguments beside the image are keywords of a
        ``functools.partial``.
    axis : int, optional
        Axis of `images` along which the images lie.

    Returns
    -------
    array or tuple of arrays
        The results along a new first axis; a tuple where `function` returns tuples.

    Raises
    ------
    ValueError
        There are no images, or their results differ in shape: as ``numpy.stack`` says it.
    numpy.exceptions.AxisError
        There is no such axis.

    Notes
    -----
    These take the whole stack at once, in as many launches as one image takes:

    - conversions of colors and stains of ``skimage.color`` along the last axis, `adjust_gamma`,
      `adjust_log`, `adjust_sigmoid` and `invert`; of their warnings there is one for all images;
    - `match_histograms` of floating images, and of any but ``float16`` with ``channel_axis=-1``,
      with one `reference` given by ``functools.partial``: the images are taken as channels of one.
      The reference is repeated on the device for each image;
    - `threshold_otsu`, `threshold_yen`, `threshold_isodata` and `threshold_minimum` of ``uint8``,
      without arguments, where no image is of one level: one launch counts the levels of all.

    Any other function is called once for each image: `equalize_adapthist`, `gaussian` and most
    others take a further axis as one of a volume, and their kernels know no images beside each
    other; other thresholds do not come from levels alone; and of a function of your own nobody
    knows what it does with a stack. A stack of NumPy arrays is copied to the device once for all
    calls where a backend is selected, each image has 16 KiB or ``SKIMAGE_BACKENDS_MIN_SIZE`` bytes,
    and conversion is on; the results come back in one copy. Images between the calls of your
    function stay on the device until NumPy reads them.

    Where the device has no room, or fails, the images are taken one after another, and each call
    falls back as it does without `over`. What `function` raises ends all of it.

    Examples
    --------
    >>> import numpy as np, skimage as ski
    >>> from skimage_gpu_backend import over
    >>> over(np.arange(48, dtype=np.uint8).reshape(3, 4, 4), ski.filters.threshold_otsu)
    array([ 7, 23, 39])
    """
    kind = kind_of(images)
    if kind is None or kind is NUMPY:
        return _of_host(kind, _in_front(images, axis), function)
    return _of_device(kind, images, function, axis)


def _least():
    least = _min_size()
    return _LEAST if least is None else least


def _in_front(images, axis):
    """The stack with the images along its first axis, as a view."""
    known = hasattr(type(images), "__array_function__")  # a Dask array, say
    return np.moveaxis(images if known else np.asarray(images), axis, 0)


def _of_host(kind, stack, function):
    chosen = current()
    selected = "gpu" in chosen.backends and chosen.convert
    if kind is None or chosen.off or not selected or stack.ndim < 2 or not len(stack):
        return _joined([function(image) for image in stack], np.stack)
    called, keywords = parts(function)
    if takes_leading_axis(stack, called, keywords):
        return function(stack)
    work, shared = batched(stack, called, keywords)
    if work and stack.nbytes >= _least():
        with contextlib.suppress(DeviceTrouble):
            return guarded(lambda: _moved(work, (stack, *shared), chosen.output))
    return _one_by_one(chosen, stack, function)


def _of_device(kind, images, function, axis):
    called, keywords = parts(function)
    (stack,), keywords, run = _taken(kind, images, keywords if has_a_form(called) else {})
    if axis or not stack.ndim:
        stack = _there().moveaxis(stack, axis, 0)
        images = run(lambda: stack)
    if len(stack) and stack.ndim > 1 and not current().off:
        if takes_leading_axis(stack, called, keywords):
            return function(images)
        work, shared = batched(stack, called, keywords)
        if work:
            return run(lambda: work(stack, *shared))
    each = run(lambda: [stack[i] for i in range(len(stack))])
    return _joined([function(image) for image in each], functools.partial(_stack_there, kind))


def _there():
    """CuPy, where there are device arrays."""
    import cupy

    return cupy


def _taken(kind, images, keywords):
    """CuPy arrays over the memory of those given, and what runs a call that takes them."""
    if kind is CUPY:
        return (images,), keywords, functools.partial(_run_on, images.device)
    from .adapt.foreign import Taken

    taken = Taken(kind, (images,), keywords)
    return taken.args, taken.kwargs, taken.run


def _run_on(device, call):
    with device:
        return call()


def _moved(work, arrays, output):
    """What `work` gives with NumPy arrays, moved to the device and back."""
    require_device()
    from .adapt.transfer import to_device

    return _back(work(*map(to_device, arrays)), output)


def _back(result, output):
    """An array of the device where the selection wants it."""
    from .adapt.transfer import is_device_array, staying, to_host

    if not is_device_array(result) or output == "cupy":
        return result
    return staying(result) if output == "resident" else to_host(result)


def _one_by_one(chosen, stack, function):
    """One call after another, with the stack on the device where its images are large enough."""
    if len(stack) and stack[0].nbytes >= _least():
        with contextlib.suppress(DeviceTrouble):  # the calls tell of it
            stack = staying(stack)
    options = {"named": chosen.named, "progress": chosen.progress, "steps": chosen.steps}
    with selected(Selection(chosen.backends, output=chosen.output or "resident", **options)):
        results = [function(image) for image in stack]
    return _joined(results, functools.partial(_stack_of_host, chosen.output))


def _stack_of_host(output, results):
    """Results of calls with NumPy arrays; those that stay on the device come back in one copy."""
    kinds = {kind_of(result) for result in results}
    if kinds == {CUPY}:
        return _there().stack(results)
    alike = kinds == {NUMPY} and len({(result.shape, result.dtype) for result in results}) == 1
    if not alike or not all(block_of(result) for result in results):
        return np.stack(results)
    from .adapt.transfer import to_device

    with contextlib.suppress(DeviceTrouble):
        return guarded(lambda: _back(_there().stack([to_device(r) for r in results]), output))
    return np.stack(results)


def _stack_there(kind, results):
    """Results of calls with device arrays of a library."""
    if not results or any(kind_of(result) is not kind for result in results):
        return np.stack(results)
    if kind is CUPY:
        return _run_on(results[0].device, lambda: _there().stack(results))
    from .adapt.foreign import Taken

    taken = Taken(kind, results, {})
    return taken.run(lambda: _there().stack(taken.args))


def _joined(results, stack):
    """`np.stack` of the results, of each of their parts where they are tuples."""
    if results and all(isinstance(result, tuple) for result in results):
        return tuple(stack(list(part)) for part in zip(*results, strict=True))
    return stack(results)
