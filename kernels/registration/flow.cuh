// What optical flows share: an image at the places to which a flow points, and its slopes there.
#pragma once
#include "common/interpolation.cuh"
#include "common/rounded.cuh"

template <int AXES> struct Extent {
    i64 size[AXES];
};

struct Unchanged {
    template <class T> __device__ double operator()(T x) const { return (double)x; }
};

// An image that a flow, (AXES, image's shape), moves: bilinear between elements, the nearest one
// beyond the border. Any thread.
template <int AXES, class W> struct Moved {
    const W* const image;
    const W* const flow;
    i64 size[AXES], strides[AXES], count;

    __device__ Moved(const W* image, const W* flow, const Extent<AXES>& extent)
        : image(image), flow(flow) {
        count = 1;
#pragma unroll
        for (int a = AXES - 1; a >= 0; --a) {
            size[a] = extent.size[a];
            strides[a] = count;
            count *= size[a];
        }
    }

    // Place of element `index` along each axis.
    __device__ void places(i64 index, i64 (&place)[AXES]) const {
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            place[a] = index / strides[a];
            index -= place[a] * strides[a];
        }
    }

    // The value at `place`, which is that of `index`, moved by `shift` elements along `axis`.
    __device__ W at(i64 index, const i64 (&place)[AXES], int axis, int shift) const {
        AxisTaps<1, double> taps[AXES];
#pragma unroll
        for (int a = 0; a < AXES; ++a) index += a == axis ? shift * strides[a] : 0;
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            const W here = (W)(place[a] + (a == axis ? shift : 0));
            taps[a].set((double)NumpyArithmetic<W>::add(flow[a * count + index], here), size[a], NEAREST);
        }
        return (W)interpolate_linear(image, taps, strides, 0.0, Unchanged());
    }

    // As numpy.gradient.
    __device__ W slope(i64 index, const i64 (&place)[AXES], int axis, W here) const {
        typedef NumpyArithmetic<W> Do;
        const bool first = place[axis] == 0, last = place[axis] == size[axis] - 1;
        const W before = first ? here : at(index, place, axis, -1);
        const W after = last ? here : at(index, place, axis, 1);
        const W rise = Do::subtract(after, before);
        return first || last ? rise : Do::divide(rise, (W)2);
    }

    // The moved image at element `index`, its slopes there, and what they make of the flow.
    __device__ W linear(i64 index, W (&slopes)[AXES], W& along) const {
        typedef NumpyArithmetic<W> Do;
        i64 place[AXES];
        places(index, place);
        const W here = at(index, place, -1, 0);
#pragma unroll
        for (int a = 0; a < AXES; ++a) {
            slopes[a] = slope(index, place, a, here);
            const W product = Do::multiply(slopes[a], flow[a * count + index]);
            along = a ? Do::add(along, product) : product;
        }
        return here;
    }
};
