// All that a kernel source sees; included first in every generated unit.
#pragma once
#include "keywords.hpp"
#include "math.hpp"
#include "integers.hpp"
#include "atomics.hpp"
#include "block.hpp"
#include "entry.hpp"
