// Moments of images: sums of each plane's elements, weighted with powers up to 3 of their distances from a
// center along either axis.
//
//   result[plane, q, p] = sum over y and x of array[plane, y, x] * (y * spacing_y - center_y)^p *
//                         (x * spacing_x - center_x)^q,   for exponents 0 to orders - 1, orders <= 4
//
// array: planes of `rows` rows of `columns` elements, any alignment, a row of blocks for each plane.
// result: doubles. partials: room for Sums of each block; arrived: a 0 for each plane.
//
// One launch, the image is read once. A thread sums a tile around its middle: integers of up to 32 bits in
// integers, exactly; floats in two floats where the card is slow in double. A few steps in double bring the
// tile's sixteen sums to the center (J. Steiner's theorem, for each exponent). `across` threads of a
// block share a row, a thread's tile has `high` rows. In an order that depends on the shape and the grid only.
//
// Source: scikit-image/measure/_moments.py.
#include "common/pack.cuh"
#include "common/reduce.cuh"
#include "common/two_floats.cuh"

constexpr int THREADS = 256;

// Sums over a thread's tile: of elements as `element`, in `column` along a column and in `tile` over
// columns. Of integers of 16 bits the sum of |value| * |row|^3 is at most 65535 * 18496 on either side of
// a tile's middle, and below 2^31.
constexpr int ROWS = 32;
template <class T> constexpr int COLUMNS = sizeof(T) == 1 || (sizeof(T) == 2 && !IS_FLOATING<T>) ? 8 : 4;
template <class E, class C, class S> struct Held {
    typedef E element;
    typedef C column;
    typedef S tile;
};
template <class T> struct SumsOf : Held<double, double, double> {};
template <> struct SumsOf<bool> : Held<int, int, i64> {};
template <> struct SumsOf<signed char> : Held<int, int, i64> {};
template <> struct SumsOf<u8> : Held<int, int, i64> {};
template <> struct SumsOf<short> : Held<int, int, i64> {};
template <> struct SumsOf<u16> : Held<int, int, i64> {};
template <> struct SumsOf<int> : Held<i64, i64, i64> {};
template <> struct SumsOf<u32> : Held<i64, i64, i64> {};
typedef NumberOf<float>::type OfFloats;
template <> struct SumsOf<float16> : Held<ElementOf<OfFloats>, OfFloats, OfFloats> {};
template <> struct SumsOf<float> : Held<ElementOf<OfFloats>, OfFloats, OfFloats> {};

__device__ inline void accumulate(int& sum, int element, int weight) { sum += element * weight; }
__device__ inline void accumulate(i64& sum, i64 element, i64 weight) { sum += element * weight; }

constexpr int UP_TO = 4;  // exponents of each axis

// Whether a tile's sums of such sums of columns are finite; of two floats `is_held` tells that of elements.
__device__ inline bool sums_are_finite(const TwoFloats&) { return true; }
__device__ inline bool sums_are_finite(double of_column) { return fabs(of_column) < 1e300; }

// Along one axis: where a coordinate's unit is, and the center.
struct Place {
    double spacing, center;
    __device__ double distance(i64 x) const { return (double)x * spacing - center; }
};

struct Sums {
    double item[UP_TO][UP_TO];  // by exponents of the column, of the row
    double apart;               // those of neighbouring threads lie in other banks

    __device__ void add(const Sums& other) {
#pragma unroll
        for (int q = 0; q < UP_TO; ++q)
#pragma unroll
            for (int p = 0; p < UP_TO; ++p) item[q][p] += other.item[q][p];
    }
};

// A plane from one element on: `rows` rows, `columns` columns, of which the first is (y, x) of the plane,
// lines `pitch` elements apart.
template <class T> struct Rest {
    static constexpr int V = COLUMNS<T>;
    typedef typename SumsOf<T>::element Element;
    typedef typename SumsOf<T>::column Column;
    typedef typename SumsOf<T>::tile Tile;

    const T* first;
    i64 rows, columns, pitch, y, x;
    Place row, column;
    int high;  // rows of a tile, up to ROWS
    bool aligned;

    // A tile's elements of a row, 0 beyond its end.
    __device__ Pack<T, V> load(int k) const {
        const T* const source = first + k * pitch;
        if (columns >= V) return load_pack<V>(source, aligned);
        Pack<T, V> pack = {};
        for (int j = 0; j < V; ++j)
            if (j < columns) pack.item[j] = source[j];
        return pack;
    }

    // total += a tile's sums
    __device__ void add_tile(Sums& total) const {
        Column in_columns[V][UP_TO] = {};
        [[maybe_unused]] float size = 0;
        const int height = rows < high ? (int)rows : high;
#pragma unroll 4
        for (int k = 0; k < height; ++k) {
            const Pack<T, V> pack = load(k);
            const Element step = (Element)(k - high / 2);
            const Column once(step), twice(step * step), thrice(step * step * step);
#pragma unroll
            for (int j = 0; j < V; ++j) {
                const Element element = (Element)pack.item[j];
                if constexpr (IS_TWO_FLOATS<Column>) size = fmax(size, fabs(element));
                in_columns[j][0] = in_columns[j][0] + Column(element);
                accumulate(in_columns[j][1], element, once);
                accumulate(in_columns[j][2], element, twice);
                accumulate(in_columns[j][3], element, thrice);
            }
        }
        if constexpr (IS_FLOATING<T>) {
            bool are_finite = !IS_TWO_FLOATS<Column> || is_held(size);
#pragma unroll
            for (int j = 0; j < V; ++j)
#pragma unroll
                for (int p = 0; p < UP_TO; ++p) are_finite = are_finite && sums_are_finite(in_columns[j][p]);
            if (!are_finite) return add_in_double(total);
        }
        add_columns(in_columns, total);
    }

    // total += the sums of a tile's columns, from the tile's middle to the center (J. Steiner): a sum of x^q
    // is one of C(r, q) distance^(r - q) x^q for each exponent r >= q around a place so far away.
    __device__ void add_columns(const Column (&in_columns)[V][UP_TO], Sums& total) const {
        const double down = row.distance(y + high / 2), right = column.distance(x + V / 2);
        double scale = 1;
#pragma unroll
        for (int q = 0; q < UP_TO; ++q) {
            double sums[UP_TO], scale_of_row = scale;
#pragma unroll
            for (int p = 0; p < UP_TO; ++p) {
                Tile sum = {};
#pragma unroll
                for (int j = 0; j < V; ++j) {
                    Element weight = 1;
#pragma unroll
                    for (int i = 0; i < q; ++i) weight *= (Element)(j - V / 2);
                    accumulate(sum, Tile(in_columns[j][p]), Tile(weight));
                }
                sums[p] = (double)sum * scale_of_row;
                scale_of_row *= row.spacing;
            }
#pragma unroll
            for (int least = 1; least < UP_TO; ++least)
#pragma unroll
                for (int p = UP_TO - 1; p >= least; --p) sums[p] = fma(down, sums[p - 1], sums[p]);
            double power = 1;
#pragma unroll
            for (int r = q; r < UP_TO; ++r) {
                constexpr int CHOOSE[UP_TO][UP_TO] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
                const double weight = CHOOSE[r][q] * power;
#pragma unroll
                for (int p = 0; p < UP_TO; ++p) total.item[r][p] = fma(weight, sums[p], total.item[r][p]);
                power *= right;
            }
            scale *= column.spacing;
        }
    }

    // total += a tile's sums, element by element: what is infinite, NaN, tiny or huge is among them.
    __device__ void add_in_double(Sums& total) const {
        for (int k = 0; k < high && k < rows; ++k)
            for (int j = 0; j < V && j < columns; ++j) {
                double of_column = (double)first[k * pitch + j];
                for (int q = 0; q < UP_TO; ++q) {
                    double item = of_column;
                    for (int p = 0; p < UP_TO; ++p) {
                        total.item[q][p] += item;
                        item *= row.distance(y + k);
                    }
                    of_column *= column.distance(x + j);
                }
            }
    }
};

template <class T>
__global__ void __launch_bounds__(THREADS, 2)
    plane_moments(const T* array, i64 rows, i64 columns, double spacing_y, double center_y, double spacing_x,
                  double center_x, int orders, int across, int high, double* partials, u32* arrived, double* result) {
    __shared__ Sums scratch[THREADS];
    constexpr int V = COLUMNS<T>;
    const u32 sharing = (u32)across < blockDim.x ? across : blockDim.x, down = blockDim.x / sharing;
    const u32 lane = threadIdx.x % sharing, group = threadIdx.x / sharing;
    const T* const plane = array + blockIdx.y * rows * columns;
    const bool aligned = is_aligned(plane) && columns * sizeof(T) % 16 == 0;
    const i64 strips = (columns + sharing * V - 1) / (sharing * V), bands = (rows + down * high - 1) / (down * high);
    Sums& mine = scratch[threadIdx.x];  // not in registers, of which a tile needs most
    mine = {};
    for (i64 tile = blockIdx.x; tile < strips * bands; tile += gridDim.x) {
        const i64 y = (tile / strips * down + group) * high, x = (tile % strips * sharing + lane) * V;
        if (group >= down || y >= rows || x >= columns) continue;
        const Rest<T> rest = {plane + y * columns + x, rows - y, columns - x, columns, y, x,
                              {spacing_y, center_y},   {spacing_x, center_x}, high, aligned};
        rest.add_tile(mine);
    }
    const auto both = [](Sums a, const Sums& b) {
        a.add(b);
        return a;
    };
    grid_reduce(mine, scratch, (Sums*)partials + (i64)blockIdx.y * gridDim.x, arrived + blockIdx.y, both,
                [&](const Sums& total) {
                    double* const to = result + (i64)blockIdx.y * orders * orders;
                    for (int q = 0; q < orders; ++q)
                        for (int p = 0; p < orders; ++p) to[q * orders + p] = total.item[q][p];
                });
}
