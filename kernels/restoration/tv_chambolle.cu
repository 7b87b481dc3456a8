// Total variation denoising by Chambolle's projection: a launch an iteration.
//
// What: `step` makes the next dual field p from the last one, and adds up the energy of the image that
// the last one gives: image less the divergence of p. The block that comes last decides whether
// there is a next step: if not, the steps that are launched beyond it return at once. `denoised` makes
// the image of the field that is left.
//
// Images: W, float or double, of NDIM axes, channel behind channel; each channel is denoised by itself,
// by the blocks of one blockIdx.y. A field has NDIM images for each channel; there are two in turn.
//
// A step reads image and field (neighbours again, from cache), and writes a field: at each element the
// divergence there and at the next element along each axis is found anew. Every operation is rounded as
// NumPy rounds it and sums are added in NumPy's order, so that it stops where scikit-image stops, with
// its very image.
//
// Source: skimage/restoration/_denoise.py, _denoise_tv_chambolle_nd, after Chambolle, "An algorithm for
// total variation minimization and applications", J. Math. Imaging Vis. 20 (2004).
#include "common/pairwise.cuh"
#include "common/rounded.cuh"

// How the elements of a channel lie in memory.
//   depth, halves: of a sum over them (primitives/pairwise.py)
struct Lattice {
    i64 shape[4], strides[4], size;
    int depth, halves;
};

// Numbers of the call, as W has them: the length of a step, the same by the weight.
template <class W> struct Numbers {
    W tau, by_weight, weight, eps, size;
};

// What is known of a channel: `steps` made, but for the one that found that it has stopped.
struct Control {
    double first, previous;  // energies
    u32 arrived, stopped, steps, unused;
};

template <class W> struct Energy {
    W fit, variation;
    __device__ Energy operator+(const Energy& other) const {
        return {NumpyArithmetic<W>::add(fit, other.fit), NumpyArithmetic<W>::add(variation, other.variation)};
    }
};

__device__ inline float root(float x) { return __fsqrt_rn(x); }
__device__ inline double root(double x) { return __dsqrt_rn(x); }

// Less the divergence of a field at element i, which is the first one along the axes in `edges`.
//   field: of NDIM arrays of `size` elements
template <class W, int NDIM>
__device__ inline W less_divergence(const W* __restrict__ field, const Lattice& lattice, i64 i, u32 edges) {
    using A = NumpyArithmetic<W>;
    W sum = field[i];
#pragma unroll
    for (int k = 1; k < NDIM; ++k) sum = A::add(sum, field[k * lattice.size + i]);
    sum = -sum;
#pragma unroll
    for (int k = 0; k < NDIM; ++k)
        if (!(edges >> k & 1)) sum = A::add(sum, field[k * lattice.size + i - lattice.strides[k]]);
    return sum;
}

// Where an element is, counted on from element to element.
template <int NDIM> struct Place {
    i64 at[NDIM];
    __device__ Place(const Lattice& lattice, i64 i) {
#pragma unroll
        for (int k = 0; k < NDIM; ++k) at[k] = i / lattice.strides[k] % lattice.shape[k];
    }
    __device__ void advance(const Lattice& lattice, int step) {
        at[NDIM - 1] += step;
#pragma unroll
        for (int k = NDIM - 1; k > 0; --k)
            while (at[k] >= lattice.shape[k]) {
                at[k] -= lattice.shape[k];
                at[k - 1] += 1;
            }
    }
    __device__ u32 firsts() const {
        u32 edges = 0;
#pragma unroll
        for (int k = 0; k < NDIM; ++k) edges |= (u32)(at[k] == 0) << k;
        return edges;
    }
};

// A step of all channels, from `fields` to `result`; number 0 has no field yet.
template <class W, int NDIM>
__global__ void step(const W* images, const W* fields, W* result, const __grid_constant__ Lattice lattice, Numbers<W> numbers,
                     u32 number, void* partials, Control* controls) {
    using A = NumpyArithmetic<W>;
    using Sum = Energy<W>;
    __shared__ Sum sums[PairwiseSum<Sum>::SHARED];
    Control* const control = controls + blockIdx.y;
    if (control->stopped) return;
    const i64 size = lattice.size, groups = (((i64)1 << lattice.depth) + PairwiseSum<Sum>::PARTS - 1) / PairwiseSum<Sum>::PARTS;
    const W* const image = images + blockIdx.y * size;
    const W* const field = fields + blockIdx.y * NDIM * size;
    W* const next = result + blockIdx.y * NDIM * size;
    const auto moved = [&](i64 i, u32 edges) {
        return A::add(image[i], less_divergence<W, NDIM>(field, lattice, i, edges));
    };
    const auto add = [&](Sum sum, i64 begin, int count, int stride) {
        Place<NDIM> place(lattice, begin);
        for (i64 i = begin; count > 0; --count, i += stride) {
            const u32 edges = place.firsts();
            const W change = number ? less_divergence<W, NDIM>(field, lattice, i, edges) : (W)0;
            const W here = number ? A::add(image[i], change) : image[i];
            W slopes[NDIM], squares = 0;
#pragma unroll
            for (int k = 0; k < NDIM; ++k) {
                slopes[k] = 0;
                if (place.at[k] + 1 < lattice.shape[k]) {
                    const i64 j = i + lattice.strides[k];
                    slopes[k] = A::subtract(number ? moved(j, edges & ~(1u << k)) : image[j], here);
                }
                const W square = A::multiply(slopes[k], slopes[k]);
                squares = k ? A::add(squares, square) : square;
            }
            const W norm = root(squares);
            sum.fit = A::add(sum.fit, A::multiply(change, change));
            sum.variation = A::add(sum.variation, norm);
            const W divisor = A::add(A::multiply(norm, numbers.by_weight), (W)1);
#pragma unroll
            for (int k = 0; k < NDIM; ++k) {
                const W before = number ? field[k * size + i] : (W)0;
                next[k * size + i] = A::divide(A::subtract(before, A::multiply(numbers.tau, slopes[k])), divisor);
            }
            place.advance(lattice, stride);
        }
        return sum;
    };
    PairwiseSum<Sum>{size, lattice.depth, lattice.halves, sums, (Sum*)partials + blockIdx.y * groups, &control->arrived}
        .run(add, [&](const Sum& total) {
            const W energy = A::divide(A::add(total.fit, A::multiply(numbers.weight, total.variation)), numbers.size);
            if (number == 0) control->first = (double)energy;
            const W change = A::subtract((W)control->previous, energy);
            if (number && (change < 0 ? -change : change) < A::multiply(numbers.eps, (W)control->first)) {
                control->stopped = 1;
            } else {
                control->previous = (double)energy;
                control->steps = number + 1;
            }
        });
}

// The image of each channel's field, where the call has its elements: element i of channel c is number
// i / inner * inner * channels + c * inner + i % inner of the result.
template <class W, int NDIM>
__global__ void denoised(const W* images, const W* even, const W* odd, const __grid_constant__ Lattice lattice,
                         const Control* controls, i64 inner, W* result) {
    using A = NumpyArithmetic<W>;
    const i64 size = lattice.size, channels = gridDim.y, channel = blockIdx.y;
    const W* const field = (controls[channel].steps % 2 ? odd : even) + channel * NDIM * size;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) {
        const W change = less_divergence<W, NDIM>(field, lattice, i, Place<NDIM>(lattice, i).firsts());
        result[(i / inner * channels + channel) * inner + i % inner] = A::add(images[channel * size + i], change);
    }
}
