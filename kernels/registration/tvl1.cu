// TV-L1 optical flow: what an iteration does, each operation rounded as NumPy rounds it.
//
//     linearized   slopes of the moved image, their squares and the error about the flow
//     data_term    the flow after a step towards the images: `auxiliary`
//     regularized  the flow after a step towards a smooth one, and the dual variables of that
//     settled      whether the flow moved so little that the level is done; then all others return
//                  at once, and leave what there is
//
// Images and flows: float or double, C-contiguous, two or three axes. A flow has a number for each
// axis in front, the dual variables (`projection`) AXES of them for each number of a flow.
//
// Source: scikit-image `registration.optical_flow_tvl1` (C. Zach, T. Pock and H. Bischof, "A duality
// based approach for realtime TV-L1 optical flow", 2007; A. Wedel et al., 2009).
#include "common/reduce.cuh"
#include "registration/flow.cuh"

constexpr int THREADS = 128;

// result: (AXES + 2, image's shape): slopes, the sum of their squares (1 where it is 0), the error
template <int AXES, class W>
__global__ void __launch_bounds__(THREADS)
    linearized(const W* reference, const W* moving, const W* flow, const __grid_constant__ Extent<AXES> extent,
               const u32* done, W* result) {
    if (*done) return;
    typedef NumpyArithmetic<W> Do;
    const Moved<AXES, W> moved(moving, flow, extent);
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < moved.count; i += step) {
        W slope[AXES], along, squares;
        const W here = moved.linear(i, slope, along);
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            const W square = Do::multiply(slope[a], slope[a]);
            squares = a ? Do::add(squares, square) : square;
            result[a * moved.count + i] = slope[a];
        }
        result[AXES * moved.count + i] = squares == (W)0 ? (W)1 : squares;
        result[(AXES + 1) * moved.count + i] = Do::subtract(Do::subtract(here, reference[i]), along);
    }
}

// linear: what linearized gives
template <int AXES, class W>
__global__ void data_term(const W* flow, const W* linear, i64 count, double strength, const u32* done,
                          W* auxiliary) {
    if (*done) return;
    typedef NumpyArithmetic<W> Do;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        W slope[AXES], here[AXES], along = 0;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            slope[a] = linear[a * count + i];
            here[a] = flow[a * count + i];
            const W product = Do::multiply(slope[a], here[a]);
            along = a ? Do::add(along, product) : product;
        }
        const W squares = linear[AXES * count + i];
        const W error = Do::add(linear[(AXES + 1) * count + i], along);
        const bool near = fabs(error) <= Do::multiply((W)strength, squares);
        const W sign = error > 0 ? (W)1 : error < 0 ? (W)-1 : error;
        const W most = Do::multiply((W)strength, sign);
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            const W back = near ? Do::divide(Do::multiply(error, slope[a]), squares) : Do::multiply(most, slope[a]);
            auxiliary[a * count + i] = Do::subtract(here[a], back);
        }
    }
}

// How far steps go: in time, and the weight of slopes (the time by the tightness).
template <class W> struct Step {
    W time, weight;
};

// The dual variables of one number of the flow at `index`, after a step.
template <int AXES, class W>
__device__ inline void projected(const W* flow, const W* projection, i64 index, const i64 (&place)[AXES],
                                 const Extent<AXES>& extent, i64 count, const Step<W>& step, W (&made)[AXES]) {
    typedef NumpyArithmetic<W> Do;
    const W here = flow[index];
    W rise[AXES], squares = 0;
    i64 stride = 1;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        rise[a] = place[a] + 1 < extent.size[a] ? Do::subtract(flow[index + stride], here) : (W)0;
        stride *= extent.size[a];
    }
#pragma unroll
    for (int a = 0; a < AXES; ++a) {
        const W square = Do::multiply(rise[a], rise[a]);
        squares = a ? Do::add(squares, square) : square;
    }
    const W norm = Do::add(Do::multiply((W)sqrt(squares), step.weight), (W)1);
#pragma unroll
    for (int a = 0; a < AXES; ++a)
        made[a] = Do::divide(Do::subtract(projection[a * count + index], Do::multiply(step.time, rise[a])), norm);
}

// flow:    before the step; result: auxiliary less the divergence of the dual variables after it
// written: these; they are computed anew by the neighbours that need them
template <int AXES, class W>
__global__ void __launch_bounds__(THREADS)
    regularized(const W* flow, const W* auxiliary, const W* projection, const __grid_constant__ Extent<AXES> extent,
                double time, double weight, const u32* done, W* written, W* result) {
    if (*done) return;
    typedef NumpyArithmetic<W> Do;
    const Step<W> how = {(W)time, (W)weight};
    i64 strides[AXES], count = 1;
#pragma unroll
    for (int a = AXES - 1; a >= 0; --a) {
        strides[a] = count;
        count *= extent.size[a];
    }
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < AXES * count; i += step) {
        const i64 number = i / count, index = i - number * count;
        const W *const of = flow + number * count, *const dual = projection + number * AXES * count;
        i64 place[AXES], rest = index;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            place[a] = rest / strides[a];
            rest -= place[a] * strides[a];
        }
        W here[AXES], sum = 0;
        projected<AXES, W>(of, dual, index, place, extent, count, how, here);
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            sum = a ? Do::add(sum, here[a]) : here[a];
            written[(number * AXES + a) * count + index] = here[a];
        }
        W divergence = -sum;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            if (place[a] == 0) continue;
            i64 before[AXES];
#pragma unroll
            for (int b = 0; b < AXES; ++b) before[b] = place[b] - (a == b);
            W there[AXES];
            projected<AXES, W>(of, dual, index - strides[a], before, extent, count, how, there);
            divergence = Do::add(divergence, there[a]);
        }
        result[i] = Do::add(auxiliary[i], divergence);
    }
}

// done: becomes 1 where the sum of squares of `count` differences is below `least`
template <class W>
__global__ void __launch_bounds__(THREADS)
    settled(const W* before, const W* flow, i64 count, double least, u32* done, double* partials, u32* arrived) {
    __shared__ double scratch[THREADS];
    if (*(volatile u32*)done) return;
    double mine = 0.0;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        const W apart = NumpyArithmetic<W>::subtract(before[i], flow[i]);
        mine += (double)NumpyArithmetic<W>::multiply(apart, apart);
    }
    grid_reduce(
        mine, scratch, partials, arrived, [](double a, double b) { return a + b; },
        [&](double total) {
            *arrived = 0;
            if ((W)total < (W)least) *done = 1;
        });
}
