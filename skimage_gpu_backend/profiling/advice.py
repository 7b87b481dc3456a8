"""The changes that would save a program most time, from its profile."""

from typing import NamedTuple

from ..catalog import spoken
from .remedies import can_be_changed, cause, remedy
from .tally import ON_CPU, total

_NAMED = 3  # functions that one change would help


class Advice(NamedTuple):
    """One change.

    Attributes
    ----------
    text : str
        What to do, and what it saves.
    seconds : float
        What it saves at most.
    """

    text: str
    seconds: float


def advice(profile, most=3) -> list[Advice]:
    """The `most` changes that save most, largest first."""
    found = [*_chains(profile), *_fallbacks(profile)]
    found = [item for item in found if item.seconds > 0]
    return sorted(found, key=lambda item: -item.seconds)[:most]


def _chains(profile):
    """Arrays that crossed to the host only to come back."""
    everything = total(profile.tallies.values())
    to_device = _seconds_per_byte(everything.to_device_seconds, everything.to_device_bytes)
    to_host = _seconds_per_byte(everything.to_host_seconds, everything.to_host_bytes)
    for (maker, function), chain in profile.chains.items():
        if maker:
            seconds = chain.nbytes * (to_device + to_host)
            what = f"keep the image on the device between {spoken(maker)} and {spoken(function)}"
            how = 'SKIMAGE_GPU_RESIDENT=1, or use_backends("gpu", output="resident")'
            copies = 2 * chain.times
        else:
            seconds = chain.nbytes * to_device
            what = f"copy the image of {spoken(function)} to the device once"
            how = "cupy.asarray(image) before the first call"
            copies = chain.times
        yield Advice(f"{what} ({how}): saves {copies} of {everything.transfers} transfers", seconds)


def _seconds_per_byte(seconds, nbytes):
    return seconds / nbytes if nbytes else 0


def _fallbacks(profile):
    """Functions that ran on the CPU for one reason; at most all of their time can be saved."""
    by_reason = {}
    for (function, why), tally in fallbacks(profile).items():
        reason = profile.reasons[function, why]
        if can_be_changed(reason) and tally.errors < tally.calls:
            by_reason.setdefault(reason, []).append((tally.seconds, spoken(function)))
    for reason, ran in by_reason.items():
        ran.sort(reverse=True)
        names = ", ".join(name for _, name in ran[:_NAMED])
        more = f" and {len(ran) - _NAMED} more" if len(ran) > _NAMED else ""
        what = f"have {names}{more} run on the device ({cause(reason)}): {remedy(reason)}"
        yield Advice(what, sum(seconds for seconds, _ in ran))


def fallbacks(profile):
    """Tally of each function and reason that ran on the CPU."""
    sums = {}
    for case, tally in profile.tallies.items():
        if case.where == ON_CPU:
            sums.setdefault((case.function, case.why), []).append(tally)
    return {key: total(tallies) for key, tallies in sums.items()}
