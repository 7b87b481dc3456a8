// The channel of each element of an image with channels along one axis.
//
//     const Channels channel_of(n, inner, channels);
//     use(channel_of(i));
#pragma once
#include "common/types.cuh"

// n: elements of the image; inner: elements of the axes after that of the channels.
// Any thread; by 32-bit division where the image allows.
struct Channels {
    i64 inner, channels;
    bool narrow;
    __device__ Channels(i64 n, i64 inner, i64 channels)
        : inner(inner), channels(channels), narrow(n <= 0xffffffffll) {}
    __device__ u32 operator()(i64 i) const {
        if (narrow) return (u32)i / (u32)inner % (u32)channels;
        return (u32)(i / inner % channels);
    }
};
