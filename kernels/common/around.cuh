// The pixels around one, in images of up to MOST_AXES axes.
//
//     const Places<Index> at = places(lattice, pixel);
//     any_around(lattice, at, pixel, connectivity, [&](Index other) { return image[other] != image[pixel]; });
#pragma once
#include "common/types.cuh"

constexpr int MOST_AXES = 8, INNER_AXES = 3;

// Lengths along the axes; those that the image lacks are the first ones and have 1.
template <class Index> struct Lattice {
    Index length[MOST_AXES];
    int axes;
};

// Place along the last three axes, and the number of the volume.
template <class Index> struct Places {
    Index volume, z, y, x;
};

// The last place of `rest`, which is then without it.
template <class Index> __device__ inline Index split(Index& rest, Index length) {
    const Index above = sizeof(Index) == 4 ? (Index)((u32)rest / (u32)length) : rest / length;
    const Index place = rest - above * length;
    rest = above;
    return place;
}

// Where a pixel lies. Any thread.
template <class Index>
__device__ inline Places<Index> places(const Lattice<Index>& lattice, Index pixel) {
    Places<Index> places;
    places.x = split(pixel, lattice.length[MOST_AXES - 1]);
    if (lattice.axes <= 2) return {0, 0, pixel, places.x};
    places.y = split(pixel, lattice.length[MOST_AXES - 2]);
    places.z = split(pixel, lattice.length[MOST_AXES - 3]);
    places.volume = pixel;
    return places;
}

// Calls visit(Index from, int combination, int steps, bool inside) with each combination of steps along the
// axes before the last three, in raster order: how many steps it has, and the pixel to which it leads; outside
// of the image the nearest one. Until `visit` says so.
// Any thread; no shared memory, no barrier.
template <class Index, class Visit>
__device__ inline bool any_outer(const Lattice<Index>& lattice, const Places<Index>& at, Index pixel,
                                 const Visit& visit) {
    int combinations = 1;
    for (int a = INNER_AXES; a < lattice.axes; ++a) combinations *= 3;
    for (int combination = 0; combination < combinations; ++combination) {
        Index from = pixel, volume = at.volume;
        Index stride = lattice.length[MOST_AXES - 3] * lattice.length[MOST_AXES - 2] * lattice.length[MOST_AXES - 1];
        int steps = 0, rest = combination;
        bool inside = true;
        for (int a = MOST_AXES - INNER_AXES - 1; a >= MOST_AXES - lattice.axes; --a) {
            const int step = rest % 3 - 1;
            rest /= 3;
            const Index length = lattice.length[a], place = split(volume, length) + step;
            const bool within = place >= 0 && place < length;
            inside = inside && within;
            steps += step != 0;
            if (within) from += step * stride;
            stride *= length;
        }
        if (visit(from, combination, steps, inside)) return true;
    }
    return false;
}

// Whether `visit` says so of a pixel that at most `connectivity` steps along axes lead to, one
// along each; the pixel itself is among them. No other is asked after the first of which it does.
//   visit: bool(Index pixel)
// Any thread; no shared memory, no barrier.
template <class Index, class Visit>
__device__ inline bool any_around(const Lattice<Index>& lattice, const Places<Index>& at, Index pixel,
                                  int connectivity, const Visit& visit) {
    const Index depth = lattice.length[MOST_AXES - 3], rows = lattice.length[MOST_AXES - 2];
    const Index columns = lattice.length[MOST_AXES - 1], plane = rows * columns;
    const bool inner = at.y > 0 && at.y + 1 < rows && at.x > 0 && at.x + 1 < columns;
    if (lattice.axes <= 2 && connectivity > 0 && inner) {
        const auto row = [&](Index here, bool sides) {
            return visit(here) || (sides && (visit(here - 1) || visit(here + 1)));
        };
        return row(pixel - columns, connectivity > 1) || row(pixel, true) || row(pixel + columns, connectivity > 1);
    }
    return any_outer(lattice, at, pixel, [&](Index from, int, int steps, bool inside) {
        if (!inside || steps > connectivity) return false;
        for (int dz = at.z > 0 ? -1 : 0; dz <= (at.z + 1 < depth); ++dz) {
            for (int dy = at.y > 0 ? -1 : 0; dy <= (at.y + 1 < rows); ++dy) {
                const int taken = steps + (dz != 0) + (dy != 0);
                if (taken > connectivity) continue;
                const Index here = from + dz * plane + dy * columns;
                if (visit(here)) return true;
                if (taken == connectivity) continue;
                if (at.x > 0 && visit(here - 1)) return true;
                if (at.x + 1 < columns && visit(here + 1)) return true;
            }
        }
        return false;
    });
}
