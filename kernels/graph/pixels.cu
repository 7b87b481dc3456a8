// Graphs of pixels: which of those that a mask has lie beside each other.
//
//     degrees   how many neighbours each pixel has: 0 outside of the mask
//     edges     of each pixel in the mask its neighbours, in raster order, and what each edge weighs
//
// One launch each. Masks (1 byte a pixel) are read once, by `edges` also the image, and 16 bytes a
// pixel; those around a pixel again, from cache. `degrees` writes 8 bytes a pixel, `edges` 12 or 16 an edge.
// An edge weighs the distance of its pixels, or their absolute difference times that; differences are
// rounded, or wrap, in the image's own type, as NumPy's do.
//
// Index, Column: int, or i64 from 2^31 pixels and edges on.
//
// Source: skimage.graph.pixel_graph.
#include "common/types.cuh"
#include "graph/ways.cuh"

constexpr int THREADS = 256;

template <class Index>
__global__ void __launch_bounds__(THREADS, 1)
    degrees(const bool* mask, Index n, const __grid_constant__ Lattice<Index> lattice, int connectivity, i64* degrees) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        i64 count = 0;
        if (mask[pixel])
            visit_ways(lattice, places(lattice, pixel), pixel, connectivity, [&](Index other, int, bool inside) {
                count += inside && other != pixel && mask[other];
            });
        degrees[pixel] = count;
    }
}

// |a - b| of integers that wrap.
template <class T, class Unsigned> __device__ inline double apart(const void* image, i64 a, i64 b) {
    const T difference = (T)((Unsigned)((const T*)image)[a] - (Unsigned)((const T*)image)[b]);
    return (double)(difference < 0 ? (T)((Unsigned)0 - (Unsigned)difference) : difference);
}

template <class T> __device__ inline double apart_floats(const void* image, i64 a, i64 b) {
    const T difference = ((const T*)image)[a] - ((const T*)image)[b];
    return (double)(difference < 0 ? -difference : difference);
}

// |a - b| of an image whose type counts as `device/dtypes.py` names the types; 1 of booleans.
__device__ inline double apart_of(const void* image, int type, i64 a, i64 b) {
    switch (type) {
        case 0: return 1.0;
        case 1: return apart<signed char, u8>(image, a, b);
        case 2: return apart<short, u16>(image, a, b);
        case 3: return apart<int, u32>(image, a, b);
        case 4: return apart<i64, u64>(image, a, b);
        case 5: return apart<u8, u8>(image, a, b);
        case 6: return apart<u16, u16>(image, a, b);
        case 7: return apart<u32, u32>(image, a, b);
        case 8: return apart<u64, u64>(image, a, b);
        case 10: return apart_floats<float>(image, a, b);
        default: return apart_floats<double>(image, a, b);
    }
}

// numbers:   how many pixels of the mask there are up to each pixel, that one included
// ends:      likewise how many edges
// distances: of each way
// told:      1 where a weight is not finite; 0 before
template <class Index, class Column>
__global__ void __launch_bounds__(THREADS, 1)
    edges(const void* image, int type, const bool* mask, Index n, const __grid_constant__ Lattice<Index> lattice,
          int connectivity, const i64* numbers, const i64* ends, const double* distances, Column* columns,
          double* weights, u32* told) {
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        const Index pixel = (Index)i;
        if (!mask[pixel]) continue;
        i64 place = pixel ? ends[pixel - 1] : 0;
        visit_ways(lattice, places(lattice, pixel), pixel, connectivity, [&](Index other, int way, bool inside) {
            if (!inside || other == pixel || !mask[other]) return;
            const double weight = apart_of(image, type, pixel, other) * distances[way];
            if (!(weight - weight == 0)) *told = 1;
            columns[place] = (Column)(numbers[other] - 1);
            weights[place++] = weight;
        });
    }
}
