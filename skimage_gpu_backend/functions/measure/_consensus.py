"""Random sample consensus on the host, with models counted ahead on the device."""

import functools
import math
import warnings
from typing import NamedTuple

import numpy as np

from ..._warn import warn_caller
from ...device.rounds import rounds
from ...plan import Declined
from ...scikit_image import private

AT_ONCE, MOST_AT_ONCE = 16, 512  # models: at first, and at most


class Stops(NamedTuple):
    """When to stop, as the caller gave it."""

    max_trials: float
    sample_num: float
    residuals_sum: float
    probability: float


class _Trial:
    """A sample's model (None: none), and what came with it.

    Attributes
    ----------
    error : Exception or None
        That estimating raised.
    heard : list
        Warnings of estimating.
    state : dict
        Of the generator, when the next sample has been drawn.
    """

    __slots__ = ("error", "heard", "model", "state")


def batches(trials):
    """How many models are estimated ahead each time, for so many trials."""
    ahead = AT_ONCE
    while trials > 0:
        yield (size := at_most(ahead, trials))
        trials -= size
        ahead = min(2 * ahead, MOST_AT_ONCE)


def at_most(ahead, trials):
    """How many models are estimated ahead where so many trials are left."""
    return ahead if trials > ahead else math.ceil(trials)


def consensus(model_class, keywords, data, possible, min_samples, threshold, stops, rng, initial):
    """Model and inliers as `skimage.measure.ransac` has them, which this follows line by line.

    Parameters
    ----------
    model_class : type
    keywords : dict
        Of its `from_estimate`.
    data : list of numpy.ndarray
    possible : callable
        Takes models and gives for each how many points can be its inliers at most.
    min_samples, threshold
        The caller's.
    stops : Stops
    rng : numpy.random.Generator
        Stands afterwards where scikit-image leaves it.
    initial : numpy.ndarray or None
        Mask of the first sample.
    """
    estimate = functools.partial(model_class.from_estimate, **keywords)
    points = len(data[0])
    sample = rng.choice(points, min_samples, replace=False) if initial is None else initial
    best = None
    best_count, least_sum, max_trials, trials = 0, np.inf, stops.max_trials, 0
    ahead = AT_ONCE
    for _ in rounds():
        if not trials < max_trials:
            break
        size = at_most(ahead, max_trials - trials)
        ahead = min(2 * ahead, MOST_AT_ONCE)
        batch, sample = _drawn(estimate, data, sample, size, min_samples, rng)
        models = [trial.model for trial in batch if trial.model is not None]
        counts = iter(possible(models) if models else ())
        for trial in batch:
            trials += 1
            if trial.error:
                raise _left(model_class, trial.error)
            for warning in trial.heard:
                warn_caller(str(warning.message), warning.category)
            if trial.model is not None and next(counts) >= best_count:
                residuals = np.abs(_asked(model_class, trial.model.residuals, data))
                inliers = residuals < threshold
                count, total = np.count_nonzero(inliers), residuals.dot(residuals)
                if count > best_count or (count == best_count and total < least_sum):
                    best, best_count, least_sum = inliers, count, total
                    most = private("measure.fit")._dynamic_max_trials(
                        count, points, min_samples, stops.probability
                    )
                    max_trials = min(max_trials, most)
                    if count >= stops.sample_num or total <= stops.residuals_sum:
                        max_trials = trials
            if trials >= max_trials:
                rng.bit_generator.state = trial.state
                break
    if best is None or not best.any():
        warn_caller("No inliers found. Model not fitted", UserWarning)
        return None, None
    model = _asked(model_class, estimate, [each[best] for each in data])
    return getattr(model, "model", model), best


def _drawn(estimate, data, sample, size, min_samples, rng):
    """Trials, each of whose samples is drawn before the last one is looked at; the next sample."""
    batch = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(size):
            trial = _Trial()
            chosen, sample = sample, rng.choice(len(data[0]), min_samples, replace=False)
            trial.state, trial.model, trial.error = rng.bit_generator.state, None, None
            before = len(heard)
            try:
                trial.model = estimate(*(each[chosen] for each in data)) or None
            except Exception as error:
                trial.error = error
            trial.heard = heard[before:]
            batch.append(trial)
            if trial.error:
                break
    return batch, sample


def _asked(model_class, method, data):
    try:
        return method(*data)
    except Exception as error:
        raise _left(model_class, error) from None


def _left(model_class, error):
    told = f"{type(error).__name__}: {error}"
    return Declined(f"data makes {model_class.__name__} raise {told}; nothing to change")
