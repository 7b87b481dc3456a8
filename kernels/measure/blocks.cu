// Blocks of an image, of up to 64 elements, each of which becomes one number: their sums, means, products,
// least and largest elements, and whether any of them, or all, is not 0.
//
// The array is seen as (outer, planes, upper, rows, lower, elements, inner); a block has `side` elements along
// planes, rows and elements. `beyond` stands where blocks go beyond the end of an axis.
//
// A block is one thread's. What is known of a line of blocks, and of a column, is computed once for many of them
// (transform/lines.cuh).
//
// Image: bool, (u)int8..64, float32/64; float16 but for sums and products. Result: what NumPy makes of it. Floats
// are added up as NumPy does it: those of a row of less than eight, then the sums of rows.
// One launch; each element is read once and each result is written once.
//
// Source: scikit-image `measure.block_reduce`.
#include "common/double_bits.cuh"
#include "common/reduce.cuh"
#include "transform/lines.cuh"

constexpr int AHEAD = 4;  // elements that are on their way together

struct BlockAxis {
    i64 size, count;  // of elements, and of blocks
    int side;

    // How many of a block's elements are there.
    __device__ int within(i64 block) const {
        const i64 left = size - block * side;
        return left < side ? (int)left : side;
    }
};

struct Blocks {
    BlockAxis planes, rows, elements;
    i64 upper, lower, inner;
    LinesShape shape;
};

struct BlocksLine {
    i64 first;
    int planes, rows;  // that are there
};

struct BlocksColumn {
    i64 first;
    int elements;
};

// finish(reduction) for each block, of one that began as `start` and took all of the block's elements.
//   called by: all threads of all blocks; contains barriers
template <class T, class O, class Reduction, class Finish>
__device__ inline void reduce_blocks(const T* image, O* result, const Blocks& blocks, T beyond, const Reduction& start,
                                     const Finish& finish) {
    __shared__ BlocksLine lines[MOST_LINES];
    const BlockAxis &planes = blocks.planes, &rows = blocks.rows, &elements = blocks.elements;
    const i64 row_step = blocks.lower * elements.size * blocks.inner, plane_step = blocks.upper * rows.size * row_step;
    const bool narrow = blocks.shape.narrow;
    const auto set_line = [&](BlocksLine& line, i64 rest) {
        const i64 lower = split(rest, blocks.lower, narrow), row = split(rest, rows.count, narrow);
        const i64 upper = split(rest, blocks.upper, narrow), plane = split(rest, planes.count, narrow);
        const i64 first = ((rest * planes.size + plane * planes.side) * blocks.upper + upper) * rows.size;
        line.first = ((first + row * rows.side) * blocks.lower + lower) * elements.size * blocks.inner;
        line.planes = planes.within(plane);
        line.rows = rows.within(row);
    };
    const auto column_of = [&](i64 rest) {
        const i64 inner = split(rest, blocks.inner, narrow);
        return BlocksColumn{rest * elements.side * blocks.inner + inner, elements.within(rest)};
    };
    const auto make = [&](i64 place, const BlocksLine& line, const BlocksColumn& column) {
        Reduction reduction = start;
        const T* plane = image + line.first + column.first;
        const int planes_there = line.planes, rows_there = line.rows;
#pragma unroll 1
        for (int p = 0; p < planes.side; ++p, plane += plane_step) {
            const int there_here = p < planes_there ? rows_there : 0;
            const T* row = plane;
#pragma unroll 1
            for (int r = 0; r < rows.side; ++r, row += row_step) {
                const int there = r < there_here ? column.elements : 0;
                const T* element = row;
#pragma unroll 1
                for (int e = 0; e < elements.side; e += AHEAD) {
                    T values[AHEAD];
#pragma unroll
                    for (int k = 0; k < AHEAD; ++k, element += blocks.inner)
                        values[k] = e + k < there ? *element : beyond;
#pragma unroll
                    for (int k = 0; k < AHEAD; ++k)
                        if (e + k < elements.side) reduction.take(values[k]);
                }
                reduction.end_row();
            }
        }
        result[place] = finish(reduction);
    };
    for_lines(blocks.shape, lines, set_line, column_of, make);
}

// What the elements of a block are added up in, for a sum in O: in integers where these hold it.
template <class T, class O, int BYTES = IS_FLOATING<T> ? 8 : sizeof(T)> struct SumOf { typedef int type; };
template <class T, class O> struct SumOf<T, O, 4> { typedef i64 type; };
template <class T, class O> struct SumOf<T, O, 8> { typedef O type; };

template <class T, class O> struct Sum {
    typedef typename SumOf<T, O>::type Held;
    Held all, row;

    __device__ void take(T value) { row += (Held)value; }
    __device__ void end_row() {
        all += row;
        row = 0;
    }
};

// O:       u64 for sums of integers that are taken modulo 2^64, whatever their sign, else float or double
// divisor: 1, or the number of elements for their mean
template <class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, RESIDENT)
    block_sums(const T* image, O* result, const Blocks blocks, T beyond, int divisor) {
    Divisor<O> by = {};
    if constexpr (IS_FLOATING<O>) by = divisor_of((O)divisor);
    reduce_blocks(image, result, blocks, beyond, Sum<T, O>{}, [&](const Sum<T, O>& sum) {
        if constexpr (IS_FLOATING<O>)
            if (divisor > 1) return divided((O)sum.all, by);
        return (O)sum.all;
    });
}

template <class T, class O> struct Product {
    O all;

    __device__ void take(T value) { all *= (O)value; }
    __device__ void end_row() {}
};

// O: as of block_sums
template <class T, class O>
__global__ void __launch_bounds__(TILE_THREADS, RESIDENT)
    block_products(const T* image, O* result, const Blocks blocks, T beyond) {
    reduce_blocks(image, result, blocks, beyond, Product<T, O>{1},
                  [](const Product<T, O>& product) { return product.all; });
}

// What elements are compared as.
template <class T> __device__ inline T compared(T value) { return value; }
__device__ inline float compared(float16 value) { return value; }

template <class T> struct Extreme {
    T found;
    bool is_least;

    __device__ void take(T value) {
        const auto a = compared(value), b = compared(found);
        if ((is_least ? a < b : a > b) || a != a) found = value;
    }
    __device__ void end_row() {}
};

// The least or the largest element of each block; NaN where one is.
// worst: the largest or the least number of the type, infinite where that can be
template <class T>
__global__ void __launch_bounds__(TILE_THREADS, RESIDENT)
    block_extremes(const T* image, T* result, const Blocks blocks, T beyond, T worst, bool is_least) {
    reduce_blocks(image, result, blocks, beyond, Extreme<T>{worst, is_least},
                  [](const Extreme<T>& extreme) { return extreme.found; });
}

template <class T> struct Truth {
    bool of_all, decided;  // whether one is 0, where it is asked for all of them, else whether one is not

    __device__ void take(T value) { decided |= (compared(value) != 0) != of_all; }
    __device__ void end_row() {}
};

// Whether any element of a block is not 0, or whether all are not. T: integers without a sign, or floats
template <class T>
__global__ void __launch_bounds__(TILE_THREADS, RESIDENT)
    block_truths(const T* image, bool* result, const Blocks blocks, T beyond, bool of_all) {
    reduce_blocks(image, result, blocks, beyond, Truth<T>{of_all, false},
                  [=](const Truth<T>& truth) { return truth.decided != of_all; });
}
