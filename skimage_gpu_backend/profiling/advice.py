"""The changes that would save a program most time, from its profile."""

from typing import NamedTuple

from .. import availability
from ..catalog import spoken
from .remedies import can_be_changed, cause, remedy
from .tally import ON_CPU, total

_NAMED = 3  # functions that one change would help
_LEAST = 0.01  # of the run's time, which a change saves at least


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
    """The `most` changes that save most, largest first; none where there is no GPU."""
    if availability.has_no_gpu():
        return []
    found = [*_chains(profile), *_fallbacks(profile)]
    found = [item for item in found if item.seconds > _LEAST * profile.seconds]
    return sorted(found, key=lambda item: -item.seconds)[:most]


def _chains(profile):
    """Arrays that crossed to the host only to come back."""
    everything = total(profile.tallies.values())
    to_device = _seconds_per_byte(everything.to_device_seconds, everything.to_device_bytes)
    to_host = _seconds_per_byte(everything.to_host_seconds, everything.to_host_bytes)
    kept, copied = [], []  # by what helps: seconds, functions, copies
    for (maker, function), chain in profile.chains.items():
        if maker:
            seconds = chain.nbytes * (to_device + to_host)
            kept.append((seconds, f"{spoken(maker)} and {spoken(function)}", 2 * chain.times))
        else:
            copied.append((chain.nbytes * to_device, spoken(function), chain.times))
    for what, chains, how in (
        (
            "keep the image on the device between {}",
            kept,
            'SKIMAGE_GPU_RESIDENT=1, or use_backends("gpu", output="resident")',
        ),
        (
            "copy the image of {} to the device once",
            copied,
            "cupy.asarray(image) before the first call",
        ),
    ):
        if chains:
            seconds, names, copies = zip(*chains, strict=True)
            what = what.format(_named(zip(seconds, names, strict=True)))
            saved = f"saves {sum(copies)} of {everything.transfers} transfers"
            yield Advice(f"{what} ({how}): {saved}", sum(seconds))


def _seconds_per_byte(seconds, nbytes):
    return seconds / nbytes if nbytes else 0


def _fallbacks(profile):
    """Functions that ran on the CPU and one remedy helps; at most all of their time is saved."""
    by_remedy = {}
    for (function, why), tally in fallbacks(profile).items():
        reason = profile.reasons[function, why]
        if can_be_changed(reason) and tally.errors < tally.calls:
            ran, causes = by_remedy.setdefault(remedy(reason), ([], {}))
            ran.append((tally.seconds, spoken(function)))
            causes[cause(reason)] = None
    for helps, (ran, causes) in by_remedy.items():
        why = next(iter(causes)) + ", and the like" * (len(causes) > 1)
        what = f"have {_named(ran)} run on the device ({why}): {helps}"
        yield Advice(what, sum(seconds for seconds, _ in ran))


def _named(ran):
    """The functions that took most of the time, from pairs of seconds and name."""
    names = list(dict.fromkeys(name for _, name in sorted(ran, reverse=True)))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def fallbacks(profile):
    """Tally of each function and reason that ran on the CPU."""
    sums = {}
    for case, tally in profile.tallies.items():
        if case.where == ON_CPU:
            sums.setdefault((case.function, case.why), []).append(tally)
    return {key: total(tallies) for key, tallies in sums.items()}
