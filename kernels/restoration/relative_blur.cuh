// What Richardson and Lucy's iteration makes of a pixel and the estimate that was blurred.
//
// Source: skimage/restoration/deconvolution.py.
#pragma once

// The pixel divided by the estimate; 0 where that is below `least`. Any thread.
__device__ inline double relative_blur(double pixel, double blurred, double least) {
    const double here = blurred + 1e-12;
    return here < least ? 0.0 : pixel / here;
}
