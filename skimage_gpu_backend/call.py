"""A call that is taken: what passes from the decision to the device and back."""


class Call:
    """A call with its arguments by name.

    Parameters
    ----------
    name : str
        Public module and function.
    to_device : tuple of str
        Parameters whose arrays go to the device. Other arrays are read on the host.
    kind : Kind
        Of the caller's images, and so of the result.
    arguments : dict
        What runs on the device takes: arrays alone where there is a plan, everything otherwise.
    whole : dict, optional
        Device arrays by name that are no images: each part of a call takes the whole of them.
    output : {None, "cupy", "resident"}, optional
        Results for images from the host: copies there, device arrays, or NumPy arrays
        whose data stays on the device.
    progress : bool, optional
        Whether work in tiles, or in rounds of launches, shows how far it is.
    threads : int, optional
        Most threads on the CPU.
    size : int, optional
        Bytes of the images that come from the host.
    plan : Plan, optional
        Of a call of the ``gpu`` backend.
    plan_for : callable, optional
        Takes arrays by name, of which only shape and dtype count, and gives the plan of the same
        call for them.
    """

    __slots__ = (
        "arguments",
        "kind",
        "name",
        "output",
        "plan",
        "plan_for",
        "progress",
        "size",
        "threads",
        "to_device",
        "whole",
    )

    def __init__(
        self,
        name,
        to_device,
        kind,
        arguments,
        *,
        output=None,
        progress=False,
        threads=None,
        size=0,
        plan=None,
        plan_for=None,
        whole=None,
    ):
        self.name, self.to_device, self.kind = name, to_device, kind
        self.arguments = arguments
        self.output, self.progress, self.threads, self.size = output, progress, threads, size
        self.plan, self.plan_for, self.whole = plan, plan_for, whole or {}

    def with_arrays(self, arrays):
        """The same call with other arrays, by name."""
        options = {name: getattr(self, name) for name in self.__slots__}
        return Call(**options | {"arguments": self.arguments | arrays})
