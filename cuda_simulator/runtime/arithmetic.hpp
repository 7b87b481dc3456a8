// What a kernel source sees that knows nothing of its thread; precompiled by compiler.py.
#pragma once
#include "keywords.hpp"
#include "math.hpp"
#include "integers.hpp"
#include "atomics.hpp"
