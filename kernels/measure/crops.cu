// The boxes of labelled regions, cut out of the image and laid one behind the other, and the holes
// in them.
//
//     crop_places   the place in the image of each element, and whether it is of the region
//
// and, in this order,
//
//     begin_holes   which elements of a box are not of its region; those at its border are outside
//     join_holes    unites neighbours that are not of the region (common/union_find.cuh)
//     fill_holes    what is not joined with the outside, and how many elements that is in each box
//
// So a table takes the same launches however many regions there are. Elements are neighbours along
// diagonals, too. The trees have one element more a box, before its others: the outside, which is
// the root of whatever is joined with it.
//
// Labels are read once; an index an element is written, joined and read, a byte an element is
// written. Index: int, or i64 where image or elements are 2^31 or more. Any blocks and grid.
//
// Source: scipy.ndimage.binary_fill_holes, scikit-image `measure.regionprops`.
#include "common/components.cuh"
#include "measure/regions.cuh"

constexpr int SHARE = 32, THREADS = 256;

// The boxes of all regions. An element is one of a box.
template <class Index> struct Crops {
    const i64* starts;  // the first element of each box, and the number of all
    const Index* boxes;  // 6 for each: the first plane, row and column; how many there are
    i64 count;
};

// Where an element lies.
template <class Index> struct Element {
    i64 region;
    const Index* box;
    Index z, y, x;  // in its box

    __device__ Element(const Crops<Index>& crops, i64 i)
        : region(part_of(crops.starts, crops.count, i)), box(crops.boxes + 6 * region) {
        Index local = (Index)(i - crops.starts[region]);
        x = local % box[5];
        local /= box[5];
        y = local % box[4];
        z = local / box[4];
    }

    __device__ Index pixel(const Volume<Index>& shape) const {
        return ((box[0] + z) * shape.rows + box[1] + y) * shape.columns + box[2] + x;
    }

    // Planes have no border before and behind them.
    __device__ bool at_border(bool is_volume) const {
        return (is_volume && (z == 0 || z + 1 == box[3])) || y == 0 || y + 1 == box[4] || x == 0 || x + 1 == box[5];
    }
};

// numbers: the label of each region. inside: whether an element is of its region.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    crop_places(const i64* starts, const Index* boxes, i64 count, const __grid_constant__ Volume<Index> shape,
                const void* labels, int bytes, const u64* numbers, Index* places, bool* inside) {
    const Crops<Index> crops{starts, boxes, count};
    const Labels image{labels, bytes};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < starts[count]; i += (i64)gridDim.x * blockDim.x) {
        const Element<Index> at(crops, i);
        const Index pixel = at.pixel(shape);
        places[i] = pixel;
        inside[i] = image[pixel] == numbers[at.region];
    }
}

// parents: as in union_find.cuh, BACKGROUND in the region.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    begin_holes(const i64* starts, const Index* boxes, i64 count, const __grid_constant__ Volume<Index> shape,
                const void* labels, int bytes, const u64* numbers, bool is_volume, Index* parents) {
    const Crops<Index> crops{starts, boxes, count};
    const Labels image{labels, bytes};
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < starts[count]; i += (i64)gridDim.x * blockDim.x) {
        const Element<Index> at(crops, i);
        const Index outside = (Index)(starts[at.region] + at.region), own = (Index)(i + at.region + 1);
        if (own == outside + 1) parents[outside] = outside;
        const bool is_region = image[at.pixel(shape)] == numbers[at.region];
        parents[own] = is_region ? BACKGROUND : at.at_border(is_volume) ? outside : own;
    }
}

template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    join_holes(const i64* starts, const Index* boxes, i64 count, Index* parents) {
    const Crops<Index> crops{starts, boxes, count};
    const auto same = [&](Index, Index q) { return parents[q] != BACKGROUND; };
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < starts[count]; i += (i64)gridDim.x * blockDim.x) {
        const Element<Index> at(crops, i);
        const Index own = (Index)(i + at.region + 1), row = at.box[5], plane = at.box[4] * row;
        if (parents[own] == BACKGROUND) continue;
        const bool left = at.x > 0, right = at.x + 1 < row;
        if (left && same(own, own - 1)) UnionFind<Index>::unite(parents, own, own - 1);
        for (int dz = at.z > 0 ? -1 : 0; dz <= 0; ++dz)
            for (int dy = -1; dy <= (dz ? 1 : -1); ++dy)
                if (at.y + dy >= 0 && at.y + dy < at.box[4])
                    join_row<UnionFind<Index>>(parents, own, own + dz * plane + dy * row, false, left, right, true, same);
    }
}

// filled: of each element, whether it is of the region or in a hole of it.
// sizes: how many of each region are; 0 before.
template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    fill_holes(const i64* starts, i64 count, const Index* parents, bool* filled, u64* sizes) {
    for (i64 share = blockIdx.x * (i64)blockDim.x + threadIdx.x; share * SHARE < starts[count];
         share += (i64)gridDim.x * blockDim.x) {
        const i64 begin = share * SHARE, stop = begin + SHARE < starts[count] ? begin + SHARE : starts[count];
        i64 region = part_of(starts, count, begin);
        for (i64 i = begin; i < stop; ++region) {
            const i64 last = starts[region + 1] < stop ? starts[region + 1] : stop;
            const Index outside = (Index)(starts[region] + region);
            u64 size = 0;
            for (; i < last; ++i) {
                const Index own = (Index)(i + region + 1);
                const bool is_filled = parents[own] == BACKGROUND || UnionFind<Index>::root(parents, own) != outside;
                filled[i] = is_filled;
                size += is_filled;
            }
            if (size) atomicAdd(sizes + region, size);
        }
    }
}
