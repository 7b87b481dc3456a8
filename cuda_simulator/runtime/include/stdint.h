// Integers of fixed width.
#pragma once
#include "cstdint"
