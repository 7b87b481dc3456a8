"""Modules as bytes: a source with its name expressions and options, as a GPU's is machine code."""

import json

_MAGIC = b"CUDA_SIMULATOR\n"


def packed(code: str, expressions: tuple[str, ...], options: tuple[str, ...]) -> bytes:
    """A module's bytes."""
    return _MAGIC + json.dumps([code, list(expressions), list(options)]).encode()


def unpacked(image: bytes) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """What `packed` was given; ValueError where the bytes are none of its."""
    if not image.startswith(_MAGIC):
        raise ValueError("no module of the simulator")
    code, expressions, options = json.loads(image[len(_MAGIC) :])
    return code, tuple(expressions), tuple(options)
