"""What a user asks about memory, and gives back."""


def memory() -> dict:
    """Device memory and pinned memory, in bytes.

    Returns
    -------
    dict
        ``"devices"``: by number, the current device and those of ``SKIMAGE_GPU_DEVICES``, each a
        dict of ``"total"``, what it has; ``"free"``, what is free for everybody; ``"used"``, what
        CuPy arrays of this program take; ``"cached"``, what CuPy keeps of arrays that are gone for
        later ones; ``"managed"``, what results take that stay on the device, and what is kept for
        later ones; and ``"limit"``, what these three may reach together, None where nothing bounds
        them (``SKIMAGE_GPU_MEMORY_LIMIT``).
        ``"pinned"``: memory of the host that CuPy has pinned: buffers through which images cross
        the bus, which are kept for later ones, and arrays of the program's own.

    Raises
    ------
    RuntimeError
        There is no device, or the limit is no number.

    Examples
    --------
    >>> from skimage_gpu_backend import memory
    >>> memory()["devices"][0]["free"]  # doctest: +SKIP
    25161367552
    """
    _require_device()
    from .tiles import memory
    from .trouble import DeviceTrouble

    try:
        return {"devices": memory.counts(), "pinned": memory.pinned_bytes()}
    except DeviceTrouble as trouble:
        raise RuntimeError(trouble.reason) from None


def free_memory():
    """Give back memory that is kept for later calls.

    Free blocks of device memory, copies of arrays that cannot change, and pinned buffers.
    Arrays that somebody holds stay.

    Raises
    ------
    RuntimeError
        There is no device.
    """
    _require_device()
    from .adapt import managed, pinned, uploads
    from .tiles import memory

    pinned.forget()
    uploads.forget()
    managed.free_kept()
    memory.forget()


def _require_device():
    from .availability import require_device
    from .trouble import DeviceTrouble

    try:
        require_device()
    except DeviceTrouble as trouble:
        raise RuntimeError(trouble.reason) from None
