"""`cupy.cuda.pinned_memory`: memory of the host, which is all the same here."""

__all__ = ["PinnedMemoryPool"]


class PinnedMemoryPool:
    """The pool of pinned memory; it keeps nothing."""

    def free_all_blocks(self):
        """Give back what is kept, which is nothing."""

    def n_free_blocks(self):
        """Number of blocks that are kept."""
        return 0
