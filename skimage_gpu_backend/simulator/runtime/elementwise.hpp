// All that an elementwise or a reduction kernel sees; precompiled by compiler.py.
#pragma once
#include "cuda.hpp"
#include "cupy/complex.cuh"
#include "cupy/carray.cuh"
#include "cupy/atomics.cuh"
#include "cupy/math_constants.h"
#include "cupy/float16.cuh"
#include "cupy/cuda_workaround.h"
