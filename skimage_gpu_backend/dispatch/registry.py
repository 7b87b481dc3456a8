"""The installed backends, ours and others', each loaded when it is first asked."""

import functools
import pkgutil

# Found without a search, and loaded as what our entry points name.
OURS = {
    "cpu": "skimage_gpu_backend.interface:cpu",
    "cucim": "skimage_gpu_backend.interface:cucim",
    "gpu": "skimage_gpu_backend.interface:gpu",
}


def installed() -> tuple[str, ...]:
    """Names of the installed backends in alphabetical order."""
    return tuple(sorted({*OURS, *_entry_points("skimage_backends")}))


def is_installed(name) -> bool:
    """Whether a backend of this name is installed. Ours are, without a search."""
    return name in OURS or name in _entry_points("skimage_backends")


def spelled(name) -> str | None:
    """The installed backend that `name` means in upper or lower case; None where there is none."""
    if is_installed(name):
        return name
    return next((each for each in installed() if each.lower() == name.lower()), None)


@functools.cache
def _entry_points(group):
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


@functools.cache
def backend(name):
    """The backend called `name`; its ``decide(function, args, kwargs, selected)`` is asked.

    ``trouble`` are the exceptions by which a call that was taken turns out to be declined.
    """
    return pkgutil.resolve_name(OURS[name]) if name in OURS else Foreign(name)


class Answer:
    """A foreign backend's answer; true where it takes the call, and `run` then runs it."""

    __slots__ = ("reason", "run")
    invalid = False

    def __init__(self, reason="", run=None):
        self.reason = reason
        self.run = run

    def __bool__(self):
        return self.run is not None

    def __str__(self):
        return self.reason

    @property
    def key(self):
        return self.reason


class Foreign:
    """A backend of another package, behind scikit-image's protocol."""

    trouble = ()

    def __init__(self, name):
        self.name = name

    def decide(self, function, args, kwargs, selected) -> Answer:
        """Whether the backend takes the call; raises what the backend raises.

        What is selected it does not get to know.
        """
        if function not in self._supported:
            return Answer("does not implement it")
        if not self._namespace.can_has(function, *args, **kwargs):
            return Answer("declined the call")
        implementation = self._namespace.get_implementation(function)
        return Answer(run=functools.partial(implementation, *args, **kwargs))

    @functools.cached_property
    def _supported(self):
        info = self._load("skimage_backend_infos")
        return frozenset(info().supported_functions)

    @functools.cached_property
    def _namespace(self):
        return self._load("skimage_backends")

    def _load(self, group):
        point = _entry_points(group).get(self.name)
        if point is None:
            raise LookupError(f"it has no entry point in {group!r}")
        return point.load()
