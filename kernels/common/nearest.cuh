// The nearest point of each pixel, exactly, axis by axis: of the points of a line, each with the
// square of its distance within the axes before, the one that is nearest; of several the first.
//
//     nearest_along_first   first axis: the points themselves
//     search_along          the axes behind it, for points no further than a limit: outwards from
//                           the pixel. Squares are integers, and exact
//     scan_along            any distances, the points of a line one after the other: squares are
//                           integers, or double, added up as SciPy does, so that rounding decides
//                           alike. Of integers parts of a line are scanned side by side
//
// A square is FAR where no point was found. Spacings are positive, of integers integers.
//
// Sources: C. R. Maurer et al., "A linear time algorithm for computing exact Euclidean distance
// transforms of binary images in arbitrary dimensions", IEEE PAMI 25, 2003 (the scan, and the test
// by which a point is left out); SciPy's `ndimage.distance_transform_edt` (the order of its sums).
#pragma once
#include "common/types.cuh"

template <class Square> struct Far;
template <> struct Far<int> { static constexpr int value = 0x7fffffff; typedef i64 Cube; };
template <> struct Far<double> { static constexpr double value = 1.7976931348623157e308; typedef double Cube; };

// The square of a distance whose share in the axes before has the square `before`.
template <class Square, class Index>
__device__ inline Square squared(Square before, Index apart, Square spacing) {
    const Square distance = (Square)apart * spacing;
    return before + distance * distance;
}

// For each place from `begin` up to `end` of a line of `length` the nearest point that is at most
// `most` places away: calls found(place, point), point -1 where there is none.
//   is_point: bool(Index place)
// Any thread; no shared memory, no barrier.
template <class Index, class IsPoint, class Found>
__device__ inline void nearest_along_first(Index begin, Index end, Index length, Index most, const IsPoint& is_point,
                                           const Found& found) {
    Index before = begin - 1;  // the last point before or at the place
    while (before >= 0 && begin - before <= most && !is_point(before)) --before;
    bool is_before = before >= 0 && begin - before <= most, is_after = false;
    Index after = begin;  // the next point, or what has not been looked at
    for (Index place = begin; place < end; ++place) {
        if (!is_after || after < place) {
            is_after = false;
            for (after = after < place ? place : after; after < length && after - place <= most; ++after) {
                if (is_point(after)) {
                    is_after = true;
                    break;
                }
            }
        }
        if (is_after && after == place) {
            before = place;
            is_before = true;
        }
        const bool take_before = is_before && place - before <= most;
        const bool take_after = is_after && !(take_before && place - before <= after - place);
        found(place, take_after ? after : take_before ? before : (Index)-1);
    }
}

// The nearest point of a pixel, if it is within `limit`: the place on the line from which it was
// found; `square` becomes its square, else FAR. `line`: squares, `stride` elements apart.
//   limit: below FAR;  reach: as many places away it may be
// Any thread; no shared memory, no barrier.
template <class Index>
__device__ inline Index search_along(const int* line, Index stride, Index place, Index length, int spacing, int limit,
                                     int reach, int& square) {
    Index nearest = place;
    int best = line[place * stride];
    if (best > limit) best = limit + 1;
    for (int k = 1; k <= reach; ++k) {
        const int more = squared(0, k, spacing);
        if (more > best) break;
        if (k <= place) {  // the first one of those that are equally near
            const int other = line[(place - k) * stride];
            if (other <= best - more) {
                best = other + more;
                nearest = place - k;
            }
        }
        if (k < length - place) {
            const int other = line[(place + k) * stride];
            if (other < best - more) {
                best = other + more;
                nearest = place + k;
            }
        }
    }
    square = best > limit ? Far<int>::value : best;
    return nearest;
}

// The same for places of a line from `begin` up to `end`, one after the other: calls found(place, square,
// nearest), with FAR and any place where the line has no point. Nearest points are among those from
// `low` to `high`. `kept`: workspace, which is of as many numbers and lies as the squares do; between
// `low` and `high` it is written, not at `low`.
// Any thread; no shared memory, no barrier.
template <class Square, class Index, class Found>
__device__ inline void scan_along(const Square* line, Index stride, Index begin, Index end, Index low, Index high,
                                  Square spacing, int* kept, const Found& found) {
    typedef typename Far<Square>::Cube Cube;
    constexpr Square FAR = Far<Square>::value;
    // the first point, the last two that are kept, and the squares of these
    Index count = 0, bottom = 0, last = 0, other = 0;
    Square of_last = FAR, of_other = FAR;
    const auto point = [&](Index number) { return number == 0 ? bottom : (Index)kept[(low + number) * stride]; };
    for (Index place = low; place <= high; ++place) {
        const Square own = line[place * stride];
        if (own == FAR) continue;
        while (count > 1) {  // is the last one nearest to nothing, between the other and this one?
            const Cube a = (Cube)(last - other) * (Cube)spacing, b = (Cube)(place - last) * (Cube)spacing;
            const Cube c = a + b;
            if (c * (Cube)of_last - b * (Cube)of_other - a * (Cube)own - a * b * c <= (Cube)0) break;
            --count;
            last = other;
            of_last = of_other;
            if (count > 1) {
                other = point(count - 2);
                of_other = line[other * stride];
            }
        }
        other = last;
        of_other = of_last;
        last = place;
        of_last = own;
        if (count == 0) {
            bottom = place;
        } else {
            kept[(low + count) * stride] = (int)place;
        }
        ++count;
    }
    if (count == 0) {
        for (Index place = begin; place < end; ++place) found(place, FAR, place);
        return;
    }
    Index here = bottom, next = 1;
    Square of_here = line[here * stride];
    Index following = count > 1 ? point(1) : 0;
    Square of_following = count > 1 ? line[following * stride] : FAR;
    for (Index place = begin; place < end; ++place) {
        Square square = squared(of_here, here - place, spacing);
        while (next < count) {
            const Square further = squared(of_following, following - place, spacing);
            if (square <= further) break;
            square = further;
            here = following;
            of_here = of_following;
            if (++next < count) {
                following = point(next);
                of_following = line[following * stride];
            }
        }
        found(place, square, here);
    }
}

// The nearest points of the places from `begin` up to `end` are those from `low` to `high`: the later a
// place, the later its nearest point, if no square is rounded. False where the line has no point.
template <class Index>
__device__ inline bool narrow(const int* line, Index stride, Index begin, Index end, Index length, int spacing,
                              Index& low, Index& high) {
    int square;
    const int limit = Far<int>::value - 1, reach = (int)length - 1;
    low = search_along(line, stride, begin, length, spacing, limit, reach, square);
    if (square == Far<int>::value) return false;
    high = search_along(line, stride, end - 1, length, spacing, limit, reach, square);
    return true;
}
template <class Index>
__device__ inline bool narrow(const double*, Index, Index, Index, Index, double, Index&, Index&) {
    return true;
}

// An axis of an image: what is before it, its length, and what is behind it.
template <class Index> struct Axis {
    Index lines, length, stride;  // lines: before and behind; stride: elements behind
};

// The first element of a line, and the line's number among those of an axis.
template <class Index> __device__ inline Index begin_of(const Axis<Index>& axis, Index line) {
    const Index outer = line / axis.stride;
    return outer * axis.length * axis.stride + (line - outer * axis.stride);
}

// For all pixels: found(pixel, square, element), the element on the pixel's line from which its
// nearest point was found. Arguments as of `search_along`.
// All threads of all blocks.
template <class Index, class Found>
__device__ inline void search_axis(const int* squares, const Axis<Index>& axis, int spacing, int limit, int reach,
                                   const Found& found) {
    const i64 n = (i64)axis.lines * axis.length, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Index pixel = (Index)i, place = pixel / axis.stride % axis.length;
        const Index begin = pixel - place * axis.stride;
        int square;
        const Index nearest =
            search_along<Index>(squares + begin, axis.stride, place, axis.length, spacing, limit, reach, square);
        found(pixel, square, begin + nearest * axis.stride);
    }
}

// The same, a thread for `chunk` places of a line; all of them where squares are rounded. Arguments as
// of `scan_along`.
template <class Square, class Index, class Found>
__device__ inline void scan_axis(const Square* squares, const Axis<Index>& axis, Index chunk, Square spacing, int* kept,
                                 const Found& found) {
    const i64 n = (i64)((axis.length + chunk - 1) / chunk) * axis.lines, step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const Index part = (Index)(i / axis.lines), start = begin_of(axis, (Index)(i - (i64)part * axis.lines));
        const Index begin = part * chunk, end = axis.length - begin < chunk ? axis.length : begin + chunk;
        const Square* const line = squares + start;
        Index low = 0, high = axis.length - 1;
        if (chunk < axis.length && !narrow(line, axis.stride, begin, end, axis.length, spacing, low, high)) high = -1;
        scan_along<Square, Index>(line, axis.stride, begin, end, low, high, spacing, kept + start,
                                  [&](Index place, Square square, Index nearest) {
                                      found(start + place * axis.stride, square, start + nearest * axis.stride);
                                  });
    }
}
