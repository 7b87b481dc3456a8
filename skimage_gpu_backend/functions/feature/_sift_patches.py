"""What SIFT sees around keypoints: patches, histograms on the device, and a few on the host."""

import math

import numpy as np

from ...device.dtypes import c_name
from ...device.kernels import launch
from ...devices import to_host, xp
from ...plan import Declined
from ...scikit_image import private

_ORIENTATIONS, _DESCRIPTORS = "feature/sift_orientations.cu", "feature/sift_descriptors.cu"
_BLOCK = 128
# Two libraries' arctangents and exponentials differ by less, many times over: how near to the
# border of two bins of directions (in turns), to where a weight begins, to that of two bytes.
_NEAR = {"float64": (1e-10, 1e-10, 1e-8), "float32": (5e-7, 1e-6, 1e-4)}
# and by how much of the largest sum two smoothed sums differ
_APART = {"float64": 1e-9, "float32": 1e-4}


class Around:
    """Keypoints of a detector, octave by octave, for the launches that look around them.

    Parameters
    ----------
    space : Scales
    octaves : sequence of cupy.ndarray
    """

    def __init__(self, space, octaves):
        self.space, self.numbers, self.octaves = space, space.numbers, octaves
        self.dtype = space.dtype
        self.near = _NEAR[self.dtype.name]

    def orientations(self, positions, scales, sigmas, octaves):
        """The smoothed histogram of each keypoint, by octave and then in order."""
        numbers, parts, hosts = self.numbers, [], []
        for octave, delta in enumerate(self.space.deltas):
            inside = octaves == octave
            shape = self.space.shapes[octave][1:]
            # as SIFT._compute_orientation has it
            yx = positions[inside] / delta
            sigma = sigmas[inside] / delta
            radius = 3 * numbers.lambda_ori * sigma
            p_min = np.maximum(0, yx - radius[:, np.newaxis] + 0.5).astype(int)
            p_max = np.minimum(
                yx + radius[:, np.newaxis] + 0.5, (shape[0] - 1, shape[1] - 1)
            ).astype(int)
            patches = np.column_stack((p_min, p_max + 1 - p_min, scales[inside]))
            spreads = -2 * (numbers.lambda_ori * sigma) ** 2
            parts.append((patches, yx.astype(self.dtype), spreads))
            hosts += [(octave, *each) for each in zip(patches, yx, sigma, strict=True)]
        count = len(hosts)
        histograms = xp.empty((count, numbers.n_bins), self.dtype)
        doubtful = xp.zeros(count, np.uint32)
        near = self.near[0] * numbers.n_bins
        for octave, here, tables in self._by_octave(parts):
            rest = numbers.n_bins, near
            made = histograms[here], doubtful[here]
            self._launch(_ORIENTATIONS, "orientations", octave, (*tables, *made), here, rest)
        histograms, doubtful = to_host(histograms), to_host(doubtful) != 0
        return self._smoothed(histograms, doubtful, hosts)

    def _smoothed(self, histograms, doubtful, hosts):
        numbers = self.numbers
        if not np.isfinite(histograms).all():
            raise Declined("image has gradients that are not finite; nothing to change")
        third = self.dtype.type(1 / 3)
        smooth = histograms
        for _ in range(6):
            before, behind = np.roll(smooth, 1, axis=1), np.roll(smooth, -1, axis=1)
            smooth = before * third + smooth * third + behind * third
        most = smooth.max(axis=1, keepdims=True, initial=0)
        if (most == 0).any():
            raise Declined("image has keypoints without a gradient around; nothing to change")
        apart = _APART[self.dtype.name] * most
        # what decides is a bin beside the neighbours and the share of the largest
        may_count = smooth > numbers.c_max * most - apart
        ties = abs(smooth - np.roll(smooth, 1, axis=1)) < apart
        ties |= np.roll(ties, -1, axis=1)
        doubtful = doubtful | (may_count & ties).any(axis=1)
        doubtful |= (abs(smooth - numbers.c_max * most) < apart).any(axis=1)
        for k in np.flatnonzero(doubtful):
            smooth[k] = self._orientation_by_numpy(*hosts[k])
        return smooth

    def _orientation_by_numpy(self, octave, patch, yx, sigma):
        """One histogram as SIFT._compute_orientation makes it."""
        numbers = self.numbers
        r, c, gradient_row, gradient_col = self._gradient(octave, patch)
        r = r.astype(self.dtype)[:, np.newaxis]
        c = c.astype(self.dtype)[np.newaxis]
        r -= yx[0]
        c -= yx[1]
        magnitude = np.sqrt(np.square(gradient_row) + np.square(gradient_col))
        theta = np.mod(np.arctan2(gradient_col, gradient_row), 2 * np.pi)
        kernel = np.exp(np.divide(r * r + c * c, -2 * (numbers.lambda_ori * sigma) ** 2))
        n_bins = numbers.n_bins
        bins = np.floor((theta / (2 * np.pi) * n_bins + 0.5) % n_bins).astype(int)
        hist = np.zeros(n_bins, self.dtype)
        np.add.at(hist, bins, kernel * magnitude)
        hist = np.concatenate((hist[-6:], hist, hist[:6]))
        for _ in range(6):
            hist = np.convolve(hist, np.full((3,), 1 / 3, dtype=self.dtype), mode="same")
        return hist[6:-6]

    def descriptors(self, positions, scales, sigmas, orientations, octaves):
        """The descriptors of all keypoints, in their order."""
        numbers, parts, hosts, order = self.numbers, [], [], []
        for octave, delta in enumerate(self.space.deltas):
            inside = octaves == octave
            order.append(np.flatnonzero(inside))
            dim = self.space.shapes[octave][1:]
            # as SIFT._compute_descriptor has it
            center_pos = positions[inside] / delta
            sigma = sigmas[inside] / delta
            radius = numbers.lambda_descr * (1 + 1 / numbers.n_hist) * sigma
            radius_patch = math.sqrt(2) * radius
            p_min = np.asarray(
                np.maximum(0, center_pos - radius_patch[:, np.newaxis] + 0.5), dtype=int
            )
            p_max = np.asarray(
                np.minimum(
                    center_pos + radius_patch[:, np.newaxis] + 0.5, (dim[0] - 1, dim[1] - 1)
                ),
                dtype=int,
            )
            sizes = np.maximum(p_max - p_min, 0)
            patches = np.column_stack((p_min, sizes, scales[inside]))
            angles = [float(angle) for angle in orientations[inside]]
            turns = np.array([(math.cos(a), math.sin(a), a) for a in angles]).reshape(-1, 3)
            lam_sig = numbers.lambda_descr * sigma.astype(float)
            others = radius, -2 * lam_sig**2, 2 * lam_sig / numbers.n_hist
            table = np.column_stack((center_pos, turns, *others)).astype(self.dtype)
            parts.append((patches, table))
            given = zip(patches, center_pos, angles, radius, lam_sig, strict=True)
            hosts += [(octave, *each) for each in given]
        count, cells = len(hosts), numbers.n_hist**2 * numbers.n_ori
        histograms = xp.empty((count, cells), self.dtype)
        doubtful = xp.zeros(count, np.uint32)
        bins = np.arange(1, numbers.n_ori + 1, dtype=self.dtype)
        ori_bins = (2 * np.pi * bins) / numbers.n_ori
        angles = xp.asarray(ori_bins)
        for octave, here, tables in self._by_octave(parts):
            args = *tables, angles, histograms[here], doubtful[here]
            rest = numbers.n_hist, numbers.n_ori, self.near[1]
            self._launch(_DESCRIPTORS, "patch_histograms", octave, args, here, rest)
        found = xp.empty((count, cells), np.uint8)
        name = f"quantize<{c_name(self.dtype)}>"
        args = histograms, found, doubtful, count, cells, self.near[2]
        launch(_DESCRIPTORS, name, args, work=count * _BLOCK, block=_BLOCK)
        found, doubtful = to_host(found), to_host(doubtful)
        if (doubtful >= 2).any():
            raise Declined("image has keypoints without a gradient around; nothing to change")
        for k in np.flatnonzero(doubtful):
            found[k] = self._descriptor_by_numpy(ori_bins, *hosts[k])
        descriptors = np.empty_like(found)
        descriptors[np.concatenate(order)] = found
        return descriptors

    def _descriptor_by_numpy(self, ori_bins, octave, patch, center_pos, ori, rad_k, lam_sig):
        """One descriptor as SIFT._compute_descriptor makes it."""

        numbers, dtype = self.numbers, self.dtype
        rad_k, lam_sig = float(rad_k), float(lam_sig)
        histograms = np.zeros((numbers.n_hist, numbers.n_hist, numbers.n_ori), dtype)
        r, c, gradient_row, gradient_col = self._gradient(octave, patch)
        row = np.subtract(r[:, np.newaxis], center_pos[0], dtype=dtype)
        col = np.subtract(c[np.newaxis], center_pos[1], dtype=dtype)
        cosine, sine = math.cos(ori), math.sin(ori)
        r_norm, c_norm = cosine * row + sine * col, -sine * row + cosine * col
        inside = np.maximum(np.abs(r_norm), np.abs(c_norm)) < rad_k
        r_norm, c_norm = r_norm[inside], c_norm[inside]
        gradient_row, gradient_col = gradient_row[inside], gradient_col[inside]
        theta = np.arctan2(gradient_col, gradient_row) - ori
        kernel = np.exp((r_norm * r_norm + c_norm * c_norm) / (-2 * lam_sig**2))
        magnitude = np.sqrt(gradient_row * gradient_row + gradient_col * gradient_col) * kernel
        lam_sig_ratio = 2 * lam_sig / numbers.n_hist
        hists = np.arange(1, numbers.n_hist + 1, dtype=dtype)
        rc_bins = (hists - (1 + numbers.n_hist) / 2) * lam_sig_ratio
        dist_r = np.abs(np.subtract.outer(rc_bins, r_norm))
        dist_c = np.abs(np.subtract.outer(rc_bins, c_norm))
        near_t, near_t_val = private("feature._sift")._ori_distances(ori_bins, theta)
        args = near_t, near_t_val, magnitude, dist_r, dist_c, lam_sig_ratio
        private("feature._sift")._update_histogram(histograms, *args)
        histograms = histograms.reshape(-1)
        histograms = np.minimum(histograms, 0.2 * np.linalg.norm(histograms))
        descriptor = (512 * histograms) / np.linalg.norm(histograms)
        made = np.empty(len(descriptor), np.uint8)
        made[:] = np.minimum(np.floor(descriptor), 255)
        return made

    def _gradient(self, octave, patch):
        """Rows and columns of a patch and its gradient along both, on the host."""
        top, left, height, width, scale = map(int, patch)
        rows, columns = self.space.shapes[octave][1:]
        above, before = max(top - 1, 0), max(left - 1, 0)
        below, behind = min(top + height + 1, rows), min(left + width + 1, columns)
        values = to_host(self.octaves[octave][scale, above:below, before:behind])
        inside = slice(top - above, top - above + height)
        across = slice(left - before, left - before + width)
        down, right = (
            # as scikit-image's, so that NumPy takes the same way
            np.ascontiguousarray(each[inside, across])
            for each in np.gradient(values)
        )
        return np.arange(top, top + height), np.arange(left, left + width), down, right

    def _by_octave(self, parts):
        """Each octave that has keypoints, where these stand, and its rows of the tables."""
        tables = [xp.asarray(np.concatenate(column)) for column in zip(*parts, strict=True)]
        begin = 0
        for octave, part in enumerate(parts):
            here = slice(begin, begin + len(part[0]))
            begin = here.stop
            if len(part[0]):
                yield octave, here, [table[here] for table in tables]

    def _launch(self, source, kernel, octave, args, here, rest):
        count = here.stop - here.start
        args = self.octaves[octave], *args, *self.space.shapes[octave][1:], count, *rest
        expression = f"{kernel}<{c_name(self.dtype)}>"
        launch(source, expression, args, work=count * _BLOCK, block=_BLOCK)
