// The ways to the pixels around one, in raster order, also to those outside of the image; in images of
// up to MOST_AXES axes.
//
//     visit_ways(lattice, places(lattice, pixel), pixel, connectivity,
//                [&](Index other, int way, bool inside) { ... });
#pragma once
#include "common/around.cuh"

constexpr u64 WAYS = 6561;  // 3^MOST_AXES

// Calls visit(Index other, int way, bool inside) with each pixel that at most `connectivity` steps
// lead to, one along each axis, and the pixel itself: the ways are numbered in raster order, with a digit
// of three for each axis. For what lies outside, `other` is the nearest pixel inside.
// Any thread; no shared memory, no barrier.
template <class Index, class Visit>
__device__ inline void visit_ways(const Lattice<Index>& lattice, const Places<Index>& at, Index pixel,
                                  int connectivity, const Visit& visit) {
    const Index depth = lattice.length[MOST_AXES - 3], rows = lattice.length[MOST_AXES - 2];
    const Index columns = lattice.length[MOST_AXES - 1], plane = rows * columns;
    const int most_z = lattice.axes > 2, most_y = lattice.axes > 1;
    any_outer(lattice, at, pixel, [&](Index from, int combination, int steps, bool there) {
        for (int dz = -most_z; dz <= most_z; ++dz) {
            const bool in_z = at.z + dz >= 0 && at.z + dz < depth;
            for (int dy = -most_y; dy <= most_y; ++dy) {
                const bool in_y = at.y + dy >= 0 && at.y + dy < rows;
                const Index line = from + (in_z ? dz * plane : 0) + (in_y ? dy * columns : 0);
                const int taken = steps + (dz != 0) + (dy != 0);
                for (int dx = -1; dx <= 1; ++dx) {
                    if (taken + (dx != 0) > connectivity) continue;
                    const bool in_x = at.x + dx >= 0 && at.x + dx < columns;
                    visit(line + (in_x ? dx : 0), ((combination * 3 + dz + 1) * 3 + dy + 1) * 3 + dx + 1,
                          there && in_z && in_y && in_x);
                }
            }
        }
        return false;
    });
}
