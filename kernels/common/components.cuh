// Connected components of an image in two steps, of a launch each: inside boxes of pixels, in
// shared memory; then across the borders of boxes. union_find.cuh has the trees.
//
// Boxes lie in the last three axes and have the shape that the host chooses for the image: 1 x 32
// x 64 in planes, 8 x 8 x 32 in volumes, one row in lines. Axes before these three are joined in
// the second step alone.
//
//     label_in_boxes<Local, Global>(image, parents, labels, load, same);
//   next launch
//     join_all_boxes<Global>(labels, image, same);
//   next launch
//     Index root = Global::root(labels, i);
//
// Pixels are neighbours that are at most `connectivity` steps along axes apart, and at most one
// along each. What makes two neighbours one component, `same`, has to be an equivalence. Runs of a row
// of a box hang below their first pixel before anything unites. A row
// beside that of a pixel has up to three neighbours: where the middle one is the same, the others
// are joined with it in their own row; where the pixels on the left are such a pair too, they join
// these two. So only ends of runs unite.
//
// Source: the two levels: V. M. A. Oliveira and R. A. Lotufo, "A study on connected components
// labeling algorithms using GPUs", SIBGRAPI 2010.
#pragma once
#include "common/union_find.cuh"

constexpr int BOX_PIXELS = 2048, OUTER_AXES = 5;

// What a pixel is: background, or of one of the kinds in union_find.cuh.
enum Kind { NONE, BETTER, LESSER };

// The image, without axes of length 1.
template <class Index> struct Volumes {
    Index depth, rows, columns;
    Index outer[OUTER_AXES];     // lengths of the axes before; 1 where there is none
    int z_bits, y_bits, x_bits;  // a box has 2^z_bits planes of 2^y_bits rows of 2^x_bits pixels
    int connectivity;
};

// One box of the image.
template <class Index> struct Box {
    Index volume;             // the number of its volume along the axes before the last three
    Index z0, y0, x0;         // place of its first pixel there
    Index base;               // index of that pixel
    Index row, plane;         // distances from a row, and a plane, to the next
    int planes, rows, columns;  // of it that the image has
    int y_bits, x_bits;

    // Boxes of an image. Any thread.
    __device__ static Index count(const Volumes<Index>& image) {
        Index volumes = 1;
#pragma unroll
        for (int a = 0; a < OUTER_AXES; ++a) volumes *= image.outer[a];
        return volumes * along(image.depth, image.z_bits) * along(image.rows, image.y_bits) *
               along(image.columns, image.x_bits);
    }
    __device__ static Index along(Index length, int bits) { return ((length - 1) >> bits) + 1; }

    __device__ Box(const Volumes<Index>& image, Index item) : y_bits(image.y_bits), x_bits(image.x_bits) {
        const Index across = along(image.columns, x_bits), down = along(image.rows, y_bits);
        const Index deep = along(image.depth, image.z_bits);
        x0 = item % across << x_bits;
        y0 = item / across % down << y_bits;
        z0 = item / across / down % deep << image.z_bits;
        volume = item / across / down / deep;
        planes = within(image.depth - z0, image.z_bits);
        rows = within(image.rows - y0, y_bits);
        columns = within(image.columns - x0, x_bits);
        row = image.columns;
        plane = image.rows * image.columns;
        base = ((volume * image.depth + z0) * image.rows + y0) * image.columns + x0;
    }
    __device__ static int within(Index left, int bits) { return left < (Index)1 << bits ? (int)left : 1 << bits; }

    __device__ int x(int i) const { return i & ((1 << x_bits) - 1); }
    __device__ int y(int i) const { return i >> x_bits & ((1 << y_bits) - 1); }
    __device__ int z(int i) const { return i >> (x_bits + y_bits); }

    // Whether the image has pixel i of the box, and its index there. Any thread.
    __device__ bool holds(int i) const { return x(i) < columns && y(i) < rows && z(i) < planes; }
    __device__ Index pixel(int i) const { return at(z(i), y(i), x(i)); }
    __device__ Index at(int z, int y, int x) const { return base + z * plane + y * row + x; }
};

// Unites `pixel` with its neighbours in one row beside its own.
//   other:    the middle one of them
//   inside:   whether it is united with the middle one already, where they are the same
//   has_*:    whether there are pixels on that side of `pixel`, and so of `other`
//   oblique:  whether those beside the middle one are neighbours
//   same:     bool(p, q), whether q is of the component of p, which is not background
template <class Find, class Index, class Same>
__device__ inline void join_row(Index* parents, Index pixel, Index other, bool inside, bool has_left,
                                bool has_right, bool oblique, const Same& same) {
    if (same(pixel, other)) {
        if (inside) return;
        if (has_left && same(pixel, pixel - 1) && same(other, other - 1)) return;
        Find::unite(parents, pixel, other);
    } else if (oblique) {
        if (has_left && same(pixel, other - 1)) Find::unite(parents, pixel, other - 1);
        if (has_right && same(pixel, other + 1)) Find::unite(parents, pixel, other + 1);
    }
}

// Unites pixel i of a box, which is not background, with those before it in the box. Any thread.
//   same:  as of join_row, of places in the box; false where the image has none
template <class Find, class Index, class Same>
__device__ inline void join_in_box(int* parents, const Volumes<Index>& image, const Box<Index>& box,
                                   int i, const Same& same) {
    const int x = box.x(i), y = box.y(i), z = box.z(i);
    const bool left = x > 0, right = x + 1 < 1 << box.x_bits;
    // a better pixel does not hang below a lesser one of its run
    if (Find::TWO_KINDS && left && parents[i] != parents[i - 1] && same(i, i - 1)) Find::unite(parents, i, i - 1);
    if (y > 0)
        join_row<Find>(parents, i, i - (1 << box.x_bits), false, left, right, image.connectivity > 1, same);
    if (z == 0) return;
    const int behind = i - (1 << (box.x_bits + box.y_bits));
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy) {
        const int steps = dy ? 2 : 1;
        if (steps > image.connectivity || y + dy < 0 || y + dy >= 1 << box.y_bits) continue;
        join_row<Find>(parents, i, behind + dy * (1 << box.x_bits), false, left, right,
                       steps < image.connectivity, same);
    }
}

// Unites a pixel, which is not background, with those of the rows around its place in a volume
// before its own, `distance` away along `steps` axes. Any thread.
template <class Find, class Index, class Same>
__device__ inline void join_volume(Index* labels, const Volumes<Index>& image, Index z, Index y, Index x,
                                   Index pixel, Index distance, int steps, const Same& same) {
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            const int all = steps + (dz != 0) + (dy != 0);
            if (all > image.connectivity || z + dz < 0 || z + dz >= image.depth || y + dy < 0 ||
                y + dy >= image.rows)
                continue;
            const Index other = pixel - distance + (dz * image.rows + dy) * image.columns;
            join_row<Find>(labels, pixel, other, false, x > 0, x + 1 < image.columns,
                           all < image.connectivity, same);
        }
}

// Unites the pixels of a box with those of the volumes before its own. All threads of the block.
template <class Find, class Index, class Same>
__device__ inline void join_volumes(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                    const Same& same) {
    int ways = 1;  // to neighbouring volumes, its own among them: three along each axis
#pragma unroll
    for (int a = 0; a < OUTER_AXES; ++a)
        if (image.outer[a] > 1) ways *= 3;
    for (int way = 0; way < ways / 2; ++way) {  // the first half lies before
        int left = way, steps = 0;
        bool there = true;
        Index number = box.volume, distance = 0, stride = image.depth * image.rows * image.columns;
#pragma unroll
        for (int a = OUTER_AXES - 1; a >= 0; --a) {
            // digits of `way` with the first axis as the highest: the first that is not 1 is 0
            const Index length = image.outer[a], place = number % length;
            if (length > 1) {
                const int step = left % 3 - 1;
                left /= 3;
                there = there && place + step >= 0 && place + step < length;
                steps += step != 0;
                distance -= step * stride;
            }
            number /= length;
            stride *= length;
        }
        if (!there || steps > image.connectivity) continue;
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x)
            if (box.holds(i) && labels[box.pixel(i)] != BACKGROUND)
                join_volume<Find>(labels, image, box.z0 + box.z(i), box.y0 + box.y(i), box.x0 + box.x(i),
                                  box.pixel(i), distance, steps, same);
    }
}

// Unites a pixel at the border of a box, which is not background, with its neighbours outside of
// the box. Any thread.
template <class Find, class Index, class Same>
__device__ inline void join_outside(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                    int z, int y, int x, const Same& same) {
    const Index pixel = box.at(z, y, x), column = box.x0 + x;
    if (labels[pixel] == BACKGROUND) return;
    const bool left = column > 0, right = column + 1 < image.columns;
    if (x == 0 && left && same(pixel, pixel - 1)) Find::unite(labels, pixel, pixel - 1);
#pragma unroll
    for (int dz = -1; dz <= 0; ++dz)
#pragma unroll
        for (int dy = -1; dy <= (dz ? 1 : -1); ++dy) {
            const int steps = (dz != 0) + (dy != 0);
            const Index row = box.y0 + y + dy;
            if (steps > image.connectivity || box.z0 + z + dz < 0 || row < 0 || row >= image.rows) continue;
            const bool inside = z + dz >= 0 && y + dy >= 0 && y + dy < box.rows;
            join_row<Find>(labels, pixel, pixel + dz * box.plane + dy * box.row, inside, left, right,
                           steps < image.connectivity, same);
        }
}

// Unites the components of a box with those of the boxes before it. All threads of the block.
//   labels:  keys of all pixels, in global memory, united inside boxes
//   same:    as of join_row, of indices of pixels
template <class Find, class Index, class Same>
__device__ inline void join_across(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                   const Same& same) {
    // the pixels of each face but the last plane; those of edges come more than once
    const int front = box.z0 > 0 ? box.rows * box.columns : 0;
    const int sides = box.planes * box.columns, ends = box.planes * box.rows;
    for (int item = threadIdx.x; item < front + 2 * (sides + ends); item += blockDim.x) {
        int z = 0, y, x, i = item;
        if (i < front) {
            y = i / box.columns;
            x = i % box.columns;
        } else if ((i -= front) < 2 * sides) {
            z = i % sides / box.columns;
            y = i < sides ? 0 : box.rows - 1;
            x = i % box.columns;
        } else {
            i -= 2 * sides;
            z = i % ends / box.rows;
            y = i % box.rows;
            x = i < ends ? 0 : box.columns - 1;
        }
        join_outside<Find>(labels, image, box, z, y, x, same);
    }
    join_volumes<Find>(labels, image, box, same);
}

// The first step. All threads of the block.
//   parents:  shared memory for BOX_PIXELS
//   labels:   global memory for the image, which gets the key of each pixel's root in its box,
//             BACKGROUND where it is of no component
//   load:     Kind(int i, Index pixel, const Box& box) of each pixel i of a box, once
//   same:     as of join_row, of places in the box, when all have been loaded; false for a
//             second one whose parents[] is BACKGROUND
template <class Local, class Global, class Index, class Load, class Same>
__device__ inline void label_in_boxes(const Volumes<Index>& image, int* parents, Index* labels,
                                      const Load& load, const Same& same) {
    const Index boxes = Box<Index>::count(image);
    for (Index item = blockIdx.x; item < boxes; item += gridDim.x) {
        const Box<Index> box(image, item);
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            const Kind kind = box.holds(i) ? load(i, box.pixel(i), box) : NONE;
            parents[i] = kind == NONE ? BACKGROUND : Local::key(i, kind == BETTER);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x)
            if (parents[i] != BACKGROUND && box.x(i) > 0 && same(i, i - 1)) Local::hang(parents, i, i - 1);
        __syncthreads();
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x)
            if (parents[i] != BACKGROUND) Local::lift(parents, i);
        __syncthreads();
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x)
            if (parents[i] != BACKGROUND) join_in_box<Local>(parents, image, box, i, same);
        __syncthreads();
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x) {
            if (!box.holds(i)) continue;
            Index label = BACKGROUND;
            if (parents[i] != BACKGROUND) {
                const int root = Local::root(parents, i);
                label = Global::key(box.pixel(Local::element(root)), Local::is_better(root));
            }
            labels[box.pixel(i)] = label;
        }
        __syncthreads();  // before the next box
    }
}

// The second step. All threads of the block.
//   same:  as of join_row, of indices of pixels
template <class Global, class Index, class Same>
__device__ inline void join_all_boxes(Index* labels, const Volumes<Index>& image, const Same& same) {
    const Index boxes = Box<Index>::count(image);
    for (Index item = blockIdx.x; item < boxes; item += gridDim.x)
        join_across<Global>(labels, image, Box<Index>(image, item), same);
}
