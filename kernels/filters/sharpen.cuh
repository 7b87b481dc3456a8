// Unsharp masking of one element, for the kernels that filter by a Gaussian.
#pragma once
#include "common/rounded.cuh"
#include "common/types.cuh"

// The element and what it is sharpened by. Clipped to [-1, 1] where *negative says that the image
// has negative elements, else to [0, 1]; not at all without `clips`.
template <class W> struct Sharpen {
    W amount, lowest;
    bool clips;
    __device__ Sharpen(double amount, bool clips, const u32* negative)
        : amount((W)amount), lowest(clips && *negative ? (W)-1 : (W)0), clips(clips) {}
    __device__ W operator()(W element, W sum) const {
        const W sharp = element + rounded_product(element - sum, amount);
        if (!clips) return sharp;
        return sharp < lowest ? lowest : sharp > (W)1 ? (W)1 : sharp;
    }
};
