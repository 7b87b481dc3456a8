// Second differences of an image of N axes, as numpy.gradient makes them when it is applied
// twice, and the determinant of the matrix that they are.
//
//     const SecondSlopes<3> slopes = {{z, y, x}, {depth, rows, columns}};
//     const W zy = slopes.between<W>(0, 1, [&](const int (&to)[3]) { return near[...]; });
#pragma once
#include "common/types.cuh"

template <int N> struct SecondSlopes {
    i64 index[N], length[N];

    // The gradient along q of that along p. get(to): the element so many steps along each axis
    // from here, two at most. Any thread.
    template <class W, class Get> __device__ W between(int p, int q, const Get& get) const {
        const int up = index[q] == length[q] - 1 ? 0 : 1, down = index[q] == 0 ? 0 : -1;
        int to[N] = {};
        to[q] = up;
        const W after = slope<W>(to, p, get);
        to[q] = down;
        const W apart = after - slope<W>(to, p, get);
        return up - down == 2 ? apart / 2 : apart;
    }

  private:
    // numpy.gradient along an axis: half the difference of both neighbours, at an end that to
    // the only one.
    template <class W, class Get> __device__ W slope(int (&to)[N], int axis, const Get& get) const {
        const int here = to[axis];
        const bool first = index[axis] + here == 0, last = index[axis] + here == length[axis] - 1;
        to[axis] = last ? here : here + 1;
        const W after = get(to);
        to[axis] = first ? here : here - 1;
        const W apart = after - get(to);
        to[axis] = here;
        return first || last ? apart : apart / 2;
    }
};

// numpy.gradient at i of n elements: half the difference of both neighbours, at an end that
// to the only one. get(i): element i.
template <class Get> __device__ inline auto gradient(const Get& get, int i, int n) {
    if (i == 0) return get(i + 1) - get(i);
    if (i == n - 1) return get(i) - get(i - 1);
    return (get(i + 1) - get(i - 1)) / 2;
}

// Elements (0, 0), (0, 1), (1, 1) of the Hessian at `here`, which has so many elements before and behind it
// along both axes, as far as they count: two at most. Any thread.
template <class S>
__device__ inline void set_hessian(S (&elements)[3], const S* here, int pitch, int above, int below, int before, int after) {
    const auto at = [&](int i, int j) { return here[(i - above) * pitch + (j - before)]; };
    const auto down = [&](int i, int j) {
        return gradient([&](int k) { return at(k, j); }, i, above + below + 1);
    };
    const auto across = [&](int i, int j) {
        return gradient([&](int k) { return at(i, k); }, j, before + after + 1);
    };
    elements[0] = gradient([&](int i) { return down(i, before); }, above, above + below + 1);
    elements[1] = gradient([&](int j) { return down(above, j); }, before, before + after + 1);
    elements[2] = gradient([&](int j) { return across(above, j); }, before, before + after + 1);
}

// The same of element (y, x) of an image; `inside` where two elements are there on each side. Any thread.
template <class S>
__device__ inline void set_hessian(S (&elements)[3], const S* here, int pitch, bool inside, i64 y, i64 x, i64 rows,
                                   i64 columns) {
    if (inside) {
        set_hessian(elements, here, pitch, 2, 2, 2, 2);
        return;
    }
    const int above = y < 2 ? (int)y : 2, before = x < 2 ? (int)x : 2;
    const int below = y >= rows - 2 ? (int)(rows - 1 - y) : 2;
    const int after = x >= columns - 2 ? (int)(columns - 1 - x) : 2;
    set_hessian(elements, here, pitch, above, below, before, after);
}

// By elimination in double, as NumPy has it; the pivot is a column's largest element. Any thread.
template <int N> __device__ inline double determinant(double (&matrix)[N][N]) {
    double product = 1;
#pragma unroll
    for (int k = 0; k < N; ++k) {
#pragma unroll
        for (int r = k + 1; r < N; ++r)
            if (fabs(matrix[r][k]) > fabs(matrix[k][k])) {
                product = -product;
#pragma unroll
                for (int c = k; c < N; ++c) {
                    const double swapped = matrix[k][c];
                    matrix[k][c] = matrix[r][c];
                    matrix[r][c] = swapped;
                }
            }
        if (matrix[k][k] == 0) return 0;
        product *= matrix[k][k];
#pragma unroll
        for (int r = k + 1; r < N; ++r) {
            const double factor = matrix[r][k] / matrix[k][k];
#pragma unroll
            for (int c = k + 1; c < N; ++c) matrix[r][c] -= factor * matrix[k][c];
        }
    }
    return product;
}

// Where the matrices of second differences go: into a stack of `n` elements each, the upper
// triangle row by row. into(i, slopes, get) puts the one of element i there. Any thread.
template <class W> struct MatrixInto {
    W* results;
    i64 n;

    template <int N, class Get>
    __device__ void operator()(i64 i, const SecondSlopes<N>& slopes, const Get& get) const {
        W* result = results + i;
#pragma unroll
        for (int p = 0; p < N; ++p)
#pragma unroll
            for (int q = p; q < N; ++q, result += n) *result = slopes.template between<W>(p, q, get);
    }
};

// The same for their determinants.
template <class W> struct DeterminantInto {
    W* results;

    template <int N, class Get>
    __device__ void operator()(i64 i, const SecondSlopes<N>& slopes, const Get& get) const {
        double matrix[N][N];
#pragma unroll
        for (int p = 0; p < N; ++p)
#pragma unroll
            for (int q = p; q < N; ++q)
                matrix[p][q] = matrix[q][p] = (double)slopes.template between<W>(p, q, get);
        results[i] = (W)determinant(matrix);
    }
};
