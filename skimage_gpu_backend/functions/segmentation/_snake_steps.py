"""The steps of a snake, on the host, in scikit-image's own arithmetic.

Its products with a matrix are BLAS's, which adds them in an order of its own on each CPU. Steps of
a snake that does not come to rest magnify the last bit: on a device it would end elsewhere.
"""

import numpy as np

from ...device.rounds import rounds

_ORDER = 10  # places before, with which a new one is compared


def matrix(count, alpha, beta, gamma, boundary_condition, dtype):
    """The inverse of what holds a snake of `count` points together, as scikit-image makes it."""
    unit = np.eye(count, dtype=float)
    second = np.roll(unit, -1, axis=0) + np.roll(unit, -1, axis=1) - 2 * unit
    fourth = (
        np.roll(unit, -2, axis=0)
        + np.roll(unit, -2, axis=1)
        - 4 * np.roll(unit, -1, axis=0)
        - 4 * np.roll(unit, -1, axis=1)
        + 6 * unit
    )
    held = -alpha * second + beta * fourth
    if boundary_condition.startswith("fixed"):
        held[:2] = 0
        held[1, :3] = [1, -2, 1]
    if boundary_condition.endswith("fixed"):
        held[-2:] = 0
        held[-2, -3:] = [1, -2, 1]
    if boundary_condition.startswith("free"):
        held[:2] = 0
        held[0, :3] = [1, -2, 1]
        held[1, :4] = [-1, 3, -3, 1]
    if boundary_condition.endswith("free"):
        held[-2:] = 0
        held[-1, -3:] = [1, -2, 1]
        held[-2, -4:] = [-1, 3, -3, 1]
    return np.linalg.inv(held + gamma * unit).astype(dtype, copy=False)


def moved(snake, slopes, inverse, gamma, max_px_move, max_num_iter, convergence, ends):
    """The snake after all steps.

    Parameters
    ----------
    snake : numpy.ndarray
        Columns and rows of its points, which are moved.
    slopes : callable
        Gives both derivatives of the energy at points in doubles.
    inverse : numpy.ndarray
        Of `matrix`.
    ends : list of (int, str)
        Ends of the snake that do not follow the others, and whether they are "fixed" or "free".
    """
    dtype = snake.dtype
    x, y = snake
    saved = np.empty((2, _ORDER, len(x)), dtype)
    fixed = [end for end, kind in ends if kind == "fixed"]
    free = [end for end, kind in ends if kind == "free"]
    for number in rounds(max_num_iter):
        fx, fy = (slope.astype(dtype, copy=False) for slope in slopes(snake.astype(float)))
        for force in fx, fy:
            force[fixed] = 0
            for end in free:
                force[end] *= 2
        dx = max_px_move * np.tanh(inverse @ (gamma * x + fx) - x)
        dy = max_px_move * np.tanh(inverse @ (gamma * y + fy) - y)
        for move in dx, dy:
            move[fixed] = 0
        x += dx
        y += dy
        turn = number % (_ORDER + 1)
        if turn < _ORDER:
            saved[:, turn] = snake
            continue
        distances = np.abs(saved[0] - x) + np.abs(saved[1] - y)
        if np.min(np.max(distances, 1)) < convergence:
            break
    return snake
