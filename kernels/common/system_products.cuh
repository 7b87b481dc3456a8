// Sums of products over a whole grid, for systems that conjugate gradients solve: a system each
// blockIdx.y, whose `Solving` has `arrived`, the number of blocks that have come.
#pragma once
#include "common/reduce.cuh"

struct Products {
    double first, second, count;
};

struct AddProducts {
    __device__ Products operator()(const Products& a, const Products& b) const {
        return {a.first + b.first, a.second + b.second, a.count + b.count};
    }
};

// Adds the products of all threads for the system blockIdx.y, and hands them to `finish`.
template <class Solving, class Finish>
__device__ inline void reduce(const Products& mine, Products* scratch, void* partials, Solving& solving,
                              const Finish& finish) {
    grid_reduce(mine, scratch, (Products*)partials + blockIdx.y * (i64)gridDim.x, &solving.arrived, AddProducts(),
                [&](const Products& total) {
                    solving.arrived = 0;
                    finish(total);
                });
}
