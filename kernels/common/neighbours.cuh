// Neighbours of a pixel as a footprint of three pixels along each axis has them.
//
//     const Place<Index> place(volumes, pixel);
//     const bool at_end = visit_neighbours(volumes, around, place, pixel, [&](Index other) { ... });
//
// components.cuh has the image's axes.
#pragma once
#include "common/components.cuh"

// For each way to a neighbouring volume along the axes before the last three, a word: bit
// (dz + 1) * 9 + (dy + 1) * 3 + dx + 1 is 1 where the pixel that many steps away is a neighbour.
// Ways have a digit of three for each of these axes that is longer than 1, the first one the highest.
constexpr int OUTER_WAYS = 243;
struct Neighbours {
    u32 words[OUTER_WAYS];
};

// Where a pixel is: the number of its volume, and its place there.
template <class Index> struct Place {
    Index volume, z, y, x;
    __device__ Place(const Box<Index>& box, int i)
        : volume(box.volume), z(box.z0 + box.z(i)), y(box.y0 + box.y(i)), x(box.x0 + box.x(i)) {}
    __device__ Place(const Volumes<Index>& image, Index pixel) {
        x = pixel % image.columns;
        pixel /= image.columns;
        y = pixel % image.rows;
        pixel /= image.rows;
        z = pixel % image.depth;
        volume = pixel / image.depth;
    }
};

// Calls visit(u32 bits, Index middle) with each row of the image around a pixel: bit dx + 1 is 1 where its
// pixel middle + dx is a neighbour, as far as the image has that. Any thread.
// Returns whether there is a row that it has not.
template <class Index, class Visit>
__device__ inline bool visit_rows(const Volumes<Index>& image, const Neighbours& around, const Place<Index>& place,
                                  Index pixel, const Visit& visit) {
    int ways = 1;
#pragma unroll
    for (int a = 0; a < OUTER_AXES; ++a)
        if (image.outer[a] > 1) ways *= 3;
    bool at_end = false;
    for (int way = 0; way < ways; ++way) {
        const u32 word = around.words[way];
        if (!word) continue;
        int left = way;
        bool there = true;
        Index number = place.volume, distance = 0, stride = image.depth * image.rows * image.columns;
#pragma unroll
        for (int a = OUTER_AXES - 1; a >= 0; --a) {
            const Index length = image.outer[a];
            if (length == 1) continue;
            const int step = left % 3 - 1;
            left /= 3;
            const Index at = number % length;
            there = there && at + step >= 0 && at + step < length;
            distance += step * stride;
            number /= length;
            stride *= length;
        }
        if (!there) {
            at_end = true;
            continue;
        }
        for (int dz = -1; dz <= 1; ++dz)
            for (int dy = -1; dy <= 1; ++dy) {
                const u32 row = word >> (dz * 9 + dy * 3 + 12) & 7;
                if (!row) continue;
                if (place.z + dz < 0 || place.z + dz >= image.depth || place.y + dy < 0 ||
                    place.y + dy >= image.rows)
                    at_end = true;
                else
                    visit(row, pixel + distance + (dz * image.rows + dy) * image.columns);
            }
    }
    return at_end;
}

// Calls visit(Index) with each neighbour of a pixel that the image has. Any thread.
// Returns whether there is one that it has not.
template <class Index, class Visit>
__device__ inline bool visit_neighbours(const Volumes<Index>& image, const Neighbours& around,
                                        const Place<Index>& place, Index pixel, const Visit& visit) {
    bool at_end = false;
    const bool no_row = visit_rows(image, around, place, pixel, [&](u32 row, Index middle) {
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx) {
            if (!(row >> (dx + 1) & 1)) continue;
            if (place.x + dx < 0 || place.x + dx >= image.columns)
                at_end = true;
            else
                visit(middle + dx);
        }
    });
    return no_row || at_end;
}
