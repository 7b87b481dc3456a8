"""Environment variables read at every call, without `os.environ`'s cost of encoding."""

import os


def reader(name: str):
    """Function that returns the variable's value now, or None.

    `os.environ` encodes the key and decodes the value on each access (about a
    microsecond, for several variables on each call); where its internal mapping is of
    the known form, the encoded key is looked up directly.
    """
    data = getattr(os.environ, "_data", None)
    if data is None or not hasattr(os.environ, "encodekey"):
        return lambda: os.environ.get(name)
    key, decode = os.environ.encodekey(name), os.environ.decodevalue

    def read():
        value = data.get(key)
        return None if value is None else decode(value)

    return read
