// An image with the number of each point at the point's place.
//
// coords: points x axes numbers; labels: an image of that many axes, 0 before. Point p gets
// the label p + 1; where points meet the last one stays. Coordinates are rounded to even.
// *outside, 0 before, becomes 1 where a point is negative, beyond the image or NaN.
//
// One launch; coordinates are read once, a label is written for each point.
// Source: skimage/util/_label.py.
#include "common/points.cuh"

constexpr int MOST_AXES = 8;

struct Shape {
    i64 size[MOST_AXES];
};

__device__ inline double rounded(double value) { return rint(value); }
template <class T> __device__ inline T rounded(T value) { return value; }
__device__ inline double rounded(float value) { return rint((double)value); }
__device__ inline double rounded(float16 value) { return rint((double)(float)value); }

template <class T>
__global__ void label_points(const T* coords, i64 points, int axes,
                             const __grid_constant__ Shape shape, u32* outside, u64* labels) {
    u32 seen = 0;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 p = (i64)blockIdx.x * blockDim.x + threadIdx.x; p < points; p += step) {
        bool inside = true;
        i64 place = 0;
        for (int axis = 0; axis < axes; ++axis) {
            const T given = coords[p * axes + axis];
            const auto whole = rounded(given);
            inside &= (double)given >= 0.0 && (double)whole < (double)shape.size[axis];
            place = place * shape.size[axis] + (inside ? (i64)whole : 0);
        }
        if (inside)
            atomicMax(&labels[place], (u64)p + 1);
        else
            seen = 1;
    }
    tell(outside, seen);
}
