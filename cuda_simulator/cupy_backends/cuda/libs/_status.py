"""What libraries beside CUDA raise; the host's libraries compute in their place."""


class StatusError(RuntimeError):
    """An error that a library tells by a number."""

    def __init_subclass__(cls, texts):
        cls._texts = texts

    def __init__(self, status):
        self.status = status
        super().__init__(self._texts[status])

    def __reduce__(self):
        return type(self), (self.status,)
