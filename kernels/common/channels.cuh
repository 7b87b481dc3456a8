// The channel of each element of an image with channels along one axis.
//
//     Channels channels(n, inner, count);
//     auto place = channels.at(i);                     // two divisions
//     for (k = i; k < end; ++k, place.next()) use(image[k], place.channel);
#pragma once
#include "common/types.cuh"

// n: elements of the image; inner: elements of the axes after that of the channels.
// Any thread; by 32-bit division where the image allows.
struct Channels {
    i64 inner;
    u32 count;
    bool narrow;

    // Where one element lies, and the next ones.
    struct Place {
        i64 rest;  // elements of this channel that lie next to it from here on
        i64 inner;
        u32 channel, count;
        __device__ void next() {
            if (--rest) return;
            rest = inner;
            channel = channel + 1 < count ? channel + 1 : 0;
        }
    };

    __device__ Channels(i64 n, i64 inner, i64 count) : inner(inner), count((u32)count), narrow(n <= 0xffffffffll) {}

    __device__ Place at(i64 i) const {
        const i64 row = narrow ? (i64)((u32)i / (u32)inner) : i / inner;
        const u32 channel = narrow ? (u32)row % count : (u32)(row % count);
        return {inner - (i - row * inner), inner, channel, count};
    }
};

// An image without channels, in the same way.
struct NoChannels {
    static constexpr u32 channel = 0;
    __device__ NoChannels at(i64) const { return {}; }
    __device__ void next() {}
};
