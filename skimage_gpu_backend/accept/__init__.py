"""Which calls an op takes: one module per scikit-image module, one function per op.

An accept function has the signature of the scikit-image function. It looks at shapes,
dtypes and plain arguments, never at an image's data, and imports nothing of CUDA.
It returns None (taken), a reason to decline in a user's words, or `Invalid`.
"""

from ._verdict import Invalid

__all__ = ["Invalid"]
