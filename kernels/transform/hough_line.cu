// Hough transform of straight lines.
//
//     list_marked  pixels that are not 0 (marked.cuh)
//     line_votes   adds a vote for each of them and each angle
//
// image: any dtype, (rows, columns), C-contiguous. Accumulator: u64, (distances, angles). Two
// launches: the image is read once, the list is written once and read for each group of angles,
// the accumulator is added to once by each block. An image larger than the device comes in slabs of
// rows, whose votes all are added to one accumulator.
//
// Source: scikit-image `transform.hough_line` (_hough_transform.pyx); votes in shared memory: G.-J.
// van den Braak, C. Nugteren, B. Mesman, H. Corporaal, "Fast Hough transform on GPUs", 2011.
#include "common/shared.cuh"
#include "common/types.cuh"
#include "transform/marked.cuh"

constexpr int FRACTION = 30;  // bits behind the point of `Angle`'s integers

struct Angle {
    double cosine, sine;
    i64 whole_cosine, whole_sine;  // times 2**FRACTION, rounded
};

// Row of the accumulator, counted from its middle, in which a pixel votes: the distance, rounded
// as scikit-image rounds it. In integers, which all devices are fast at, unless the distance is
// so near to where rounding changes that double has to decide.
//
//   margin  how near that is, times 2**FRACTION
__device__ inline i64 voted(const Angle& angle, i64 row, i64 column, i64 margin) {
    constexpr i64 ONE = (i64)1 << FRACTION;
    const i64 distance = angle.whole_cosine * column + angle.whole_sine * row + ONE / 2;
    const i64 rest = distance & (ONE - 1);
    if (rest >= margin && rest < ONE - margin) return distance >> FRACTION;
    const double exact = plus_product(rounded_product(angle.cosine, (double)column), angle.sine, (double)row);
    return (i64)(exact > 0 ? exact + 0.5 : exact - 0.5);
}

// Blocks take ANGLES neighbouring angles, a window of the rows of the accumulator and a share of
// the list, and count in shared memory.
//
// angles       a multiple of ANGLES, of which the last ones may be beyond `across`
// firsts       for each group of angles the row of its first vote, from the accumulator's first
// accumulator  zeros before, `across` in a row
// bins         rows that any group votes in
// window       of them as many as a block counts
// middle       row of distance 0
// above        rows of the image above those of which the list is
template <class Place, int ANGLES>
__global__ void line_votes(const Place* list, const u64* count, const Angle* angles, const i64* firsts,
                           u64* accumulator, i64 across, i64 bins, i64 window, i64 middle, i64 margin, i64 above) {
    DYN_SHARED(u32, votes);  // window rows of ANGLES
    const i64 groups = (across + ANGLES - 1) / ANGLES, windows = (bins + window - 1) / window;
    const i64 tasks = groups * windows, chunks = gridDim.x / tasks;
    const i64 task = blockIdx.x % tasks, chunk = blockIdx.x / tasks;
    const i64 pixels = (i64)*count;
    if (chunk >= chunks || chunk * blockDim.x >= pixels) return;
    const i64 group = task % groups, first = firsts[group] + task / groups * window;
    Angle mine[ANGLES];
#pragma unroll
    for (int a = 0; a < ANGLES; ++a) mine[a] = angles[group * ANGLES + a];
    for (i64 i = threadIdx.x; i < window * ANGLES; i += blockDim.x) votes[i] = 0;
    __syncthreads();

    for (i64 i = chunk * blockDim.x + threadIdx.x; i < pixels; i += chunks * blockDim.x) {
        const Place place = list[i];
        const i64 row = above + Point<Place>::row(place), column = Point<Place>::column(place);
#pragma unroll
        for (int a = 0; a < ANGLES; ++a) {
            const i64 bin = voted(mine[a], row, column, margin) + middle - first;
            if (bin >= 0 && bin < window) atomicAdd(&votes[bin * ANGLES + a], 1u);
        }
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < window * ANGLES; i += blockDim.x) {
        const i64 angle = group * ANGLES + i % ANGLES;
        if (votes[i] && angle < across) atomicAdd(&accumulator[(first + i / ANGLES) * across + angle], (u64)votes[i]);
    }
}
