// Curves of intensity on non-negative images in [0, 1]: v is an element, g the gain.
//
//   GAMMA             g * v^gamma
//   LOG               g * log2(1 + v)
//   INVERSE_LOG       g * (2^v - 1)
//   SIGMOID           1 / (1 + exp(g * (cutoff - v)))
//   INVERSE_SIGMOID   1 - that
//
// image, result: n floats or doubles, any alignment. *negative, 0 before, becomes 1 where
// an element is negative. One launch; the image is read once, the result written once.
// Source: skimage/exposure/exposure.py. Integers and binary16, whose results show the last
// bit of a power, go through a table (util/lookup.cu).
#include "common/points.cuh"

enum Curve { GAMMA, LOG, INVERSE_LOG, SIGMOID, INVERSE_SIGMOID };

template <class T, Curve CURVE>
__global__ void adjust(const T* image, i64 n, double parameter, double gain_of_all, u32* negative, T* result) {
    const T given = (T)parameter, gain = (T)gain_of_all, one = 1;  // given: gamma or cutoff
    u32 seen = 0;
    for_points(image, result, n, [&](T value) -> T {
        seen |= value < (T)0;
        if (CURVE == GAMMA) return pow(value, given) * gain;
        if (CURVE == LOG) return log2(one + value) * gain;
        if (CURVE == INVERSE_LOG) return (exp2(value) - one) * gain;
        const T part = one / (one + exp(gain * (given - value)));
        return CURVE == SIGMOID ? part : one - part;
    });
    tell(negative, seen);
}
