// Peaks that keep their distance: of peaks in their order each stays that is near none which came
// before it and stays. In rounds, whose number nobody knows:
//
//     peak_coordinates  of each peak; and in an image of zeros the number of each, where it is wanted
//     space_in_window   a round: peaks near each are looked for in the image of numbers
//     space_all         a round: peaks near each are looked for among all that come before it
//
// A peak is decided when all near ones before it are, or one of these stays. What others write
// meanwhile may or may not be seen: it changes how many rounds there are, and nothing else. A round
// reads coordinates of peaks that are not decided, and what is around them.
//
// Source: scikit-image `_shared.coord.ensure_spacing`, `feature.corner_peaks`; in rounds as
// M. Luby, "A simple parallel algorithm for the maximal independent set problem", 1986, with the
// peaks' order in place of random numbers.
#include "feature/peaks.cuh"

// Which peaks are near: those for which the sum of the `power`th powers of differences along all
// axes, or for 0 the largest difference, is below the limit. Along an axis that is up to `reach`.
struct Near {
    i64 limit;
    int power, reach;

    __device__ i64 with(i64 sum, i64 difference) const {
        const i64 size = difference < 0 ? -difference : difference;
        if (size > reach) return limit;
        if (!power) return size > sum ? size : sum;
        i64 product = size;
        for (int k = 1; k < power; ++k) product *= size;
        return sum + product;
    }
};

constexpr u8 STAYS = 1, GOES = 2;  // of a peak that is decided; others have 0

// Collects what is known of the peaks that are near one and come before it.
struct Verdict {
    bool goes = false, waits = false;
    __device__ void hear(u8 state) {
        goes = goes || state == STAYS;
        waits = waits || state == 0;
    }
    // Decides the peak, or tells that it waits in this round.
    __device__ void tell(u8* state, u32* told, u32 round) const {
        if (goes || !waits)
            *(volatile u8*)state = goes ? GOES : STAYS;
        else
            *(volatile u32*)told = round;
    }
};

// coords   `region.axes` numbers for each peak
// numbers  null, or an image of zeros before: a peak's number counts from 1 on
__global__ void peak_coordinates(const i64* places, i64 n, const __grid_constant__ Region region, i64* coords,
                                 u32* numbers) {
    for (i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x; k < n; k += (i64)gridDim.x * blockDim.x) {
        i64 place = places[k];
        if (numbers) numbers[place] = (u32)(k + 1);
        for (int a = region.axes - 1; a >= 0; --a) {
            const i64 above = place / region.shape[a];
            coords[k * region.axes + a] = place - above * region.shape[a];
            place = above;
        }
    }
}

// labels  of the peaks: those of others are not near; null where there are none
// states  zeros before the first round
// told    the last round in which a peak waited
__global__ void space_in_window(const i64* coords, const i64* labels, i64 n, const __grid_constant__ Region region,
                                Near near, const u32* numbers, u8* states, u32* told, u32 round) {
    const volatile u8* const seen = states;  // others write meanwhile
    const u32 side = 2 * near.reach + 1;
    u32 size = 1;
    for (int a = 0; a < region.axes; ++a) size *= side;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x) {
        if (seen[i]) continue;
        Verdict verdict;
        for (u32 k = 0; k < size && !verdict.goes; ++k) {
            i64 at = 0, stride = 1, sum = 0;
            bool inside = true;
            u32 rest = k;
            for (int a = region.axes - 1; a >= 0; --a) {
                const int difference = (int)(rest % side) - near.reach;
                const i64 there = coords[i * region.axes + a] + difference;
                rest /= side;
                inside = inside && there >= 0 && there < region.shape[a];
                at += there * stride;
                stride *= region.shape[a];
                sum = near.with(sum, difference);
            }
            if (!inside || sum >= near.limit) continue;
            const u32 number = numbers[at];
            if (!number || number > i) continue;  // no peak, or none that comes before
            if (!labels || labels[number - 1] == labels[i]) verdict.hear(seen[number - 1]);
        }
        verdict.tell(states + i, told, round);
    }
}

// A block looks at a peak.
__global__ void space_all(const i64* coords, const i64* labels, i64 n, int axes, Near near, u8* states, u32* told,
                          u32 round) {
    const volatile u8* const seen = states;  // others write meanwhile
    __shared__ u32 heard[2];                 // whether it goes, and whether it waits
    for (i64 i = blockIdx.x; i < n; i += gridDim.x) {
        if (seen[i]) continue;  // which this block alone writes
        if (threadIdx.x == 0) heard[0] = heard[1] = 0;
        __syncthreads();
        Verdict verdict;
        for (i64 j = threadIdx.x; j < i; j += blockDim.x) {
            const u8 state = seen[j];
            if (state == GOES || (labels && labels[j] != labels[i])) continue;
            i64 sum = 0;
            for (int a = 0; a < axes && sum < near.limit; ++a)
                sum = near.with(sum, coords[j * axes + a] - coords[i * axes + a]);
            if (sum < near.limit) verdict.hear(state);
        }
        if (verdict.goes) atomicOr(&heard[0], 1u);
        if (verdict.waits) atomicOr(&heard[1], 1u);
        __syncthreads();
        if (threadIdx.x == 0) {
            verdict.goes = heard[0];
            verdict.waits = heard[1];
            verdict.tell(states + i, told, round);
        }
        __syncthreads();  // before the next peak
    }
}
