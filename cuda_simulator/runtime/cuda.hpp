// All that a kernel source sees; included first in every generated unit.
#pragma once
#include "arithmetic.hpp"
#include "block.hpp"
#include "entry.hpp"
