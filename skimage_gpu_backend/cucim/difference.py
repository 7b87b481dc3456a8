"""What is known about calls that cuCIM answers otherwise than scikit-image."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """A kind of call for which cuCIM does not give what scikit-image gives.

    Parameters
    ----------
    reason : str
        Why such a call is declined, in words that a user understands.
    applies : callable
        Takes the call's arguments, defaults filled in, as attributes of one object; they
        may be NumPy or CuPy arrays, whose shape and dtype alone may be looked at;
        `by_position` is the number of those given so. True where the call is of this kind.
    example : str
        Python text that shows it: ``np``, ``cp`` (CuPy), ``ski`` (scikit-image) and ``cs``
        (``cucim.skimage``) are there, and the last line is an expression that is true as
        long as the two differ. Empty where there is nothing to show: a parameter that
        cuCIM lacks, a Python function that no device can run.
    bug : str
        Where the difference is a mistake of cuCIM, a report to its maintainers: what was
        expected, what happens, and where in its source. The example belongs to it.
    invalid : bool
        scikit-image refuses such arguments, and is to say so itself.
    """

    reason: str
    applies: Callable[[object], bool]
    example: str = ""
    bug: str = ""
    invalid: bool = False


@dataclass(frozen=True)
class Mistake:
    """A mistake of cuCIM that our corrections make good: the call is answered as it should be.

    Parameters
    ----------
    title : str
        What is wrong, in one line.
    bug : str
        A report to cuCIM's maintainers, as in `Difference`.
    example : str
        Python text that shows it, as in `Difference`. Empty where the simulator cannot show
        it; the report then says why, after the words "No example".
    """

    title: str
    bug: str
    example: str = ""


def callable_given(*parameters: str) -> Difference:
    """The call hands over Python functions, which no device can run."""
    told = " or ".join(parameters)
    return Difference(
        f"{told} is a Python function, which a GPU cannot call; leave it out, which changes the "
        "result",
        lambda call: any(callable(getattr(call, name)) for name in parameters),
    )


BOOLEAN_OUT = Difference(
    "out is boolean and the image is not; give no out",
    lambda call: call.out is not None and call.out.dtype == bool != call.image.dtype,
)


def in_half(call) -> bool:
    """Whether the image or `out` is in half precision, in which SciPy does not filter."""
    return any(array is not None and array.dtype.char == "e" for array in (call.image, call.out))


def set_by_caller(parameter: str, default=None, reason: str = "") -> Difference:
    """The call sets a parameter that cuCIM lacks to something else than its default."""
    return Difference(
        reason
        or f"cuCIM has no parameter {parameter}; leave {parameter} out, which changes the result",
        lambda call: getattr(call, parameter) is not default,
    )


def lost_in_single(function: str, arguments: str, applies=lambda call: True) -> Difference:
    """The function makes small differences of what SciPy sums in double and cuCIM does not.

    `arguments`, those beside the image, are for the example.
    """
    return Difference(
        "image is in single precision, in which small differences are lost in sums; "
        "give image.astype(float)",
        lambda call: call.image.dtype.char in "ef" and applies(call),
        example=f"""
image = 1000 + np.random.default_rng(0).random((60, 70), "f")
theirs = cp.asarray([*cs.{function}(cp.asarray(image), {arguments})]).get()
ours = np.asarray([*ski.{function}(image, {arguments})])
np.abs(theirs - ours).max() > 2e-5 * np.ptp(ours)
""",
    )
