// Two images of one type compared, pixel by pixel, as floating images.
//
//   DIFF    |second - first|
//   BLEND   (second + first) / 2
//
// first, second, result: n elements, any alignment; W: float for float images, else double.
// One launch; each image is read once, the result written once.
// Source: skimage/util/compare.py.
#include "common/points.cuh"

enum Comparison { DIFF, BLEND };

template <class T, class W, Comparison COMPARISON>
__global__ void compare(const T* first, const T* second, i64 n, W* result) {
    for_points(first, second, result, n, [](T a, T b) -> W {
        const W x = img_as_float<W>(a), y = img_as_float<W>(b);
        return COMPARISON == DIFF ? fabs(y - x) : (W)0.5 * (y + x);
    });
}
