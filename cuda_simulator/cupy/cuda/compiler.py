"""`cupy.cuda.compiler`: the error of a source that does not compile."""


class CompileException(Exception):
    """The compiler refused a source; its text is the compiler's log."""

    def __init__(self, msg, source, name, options, backend="nvrtc"):
        self._msg = msg
        self.source = source
        self.name = name
        self.options = options
        self.backend = backend
        super().__init__()

    def __reduce__(self):
        arguments = (self._msg, self.source, self.name, self.options, self.backend)
        return type(self), arguments

    def __str__(self):
        return self._msg

    __repr__ = __str__

    def get_message(self):
        """The compiler's log."""
        return self._msg
