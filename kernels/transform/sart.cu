// A round of the simultaneous algebraic reconstruction technique (SART), for one angle.
//
// What: `rays` sums the plane along the rays of a projection and tells how far each sum is from the
// measured one; `update` adds to each pixel what the rays that come by ask for. A ray is sampled at
// equal steps along its way through the circle, the plane interpolated linearly between pixels, and
// what is given back is weighted by a Hamming window along the way. That is made once by `windows`,
// since it does not depend on the angle, but where projections are shifted.
//
// Nothing is added up by several threads: a thread goes along a ray, and in `update` a pixel
// gathers, ray after ray and step after step, what samples beside it give. So the sums are
// scikit-image's, in its order, with its roundings.
//
// Planes: (side, side); sinogram: (side, angles), of W, float or double. A launch of `rays` reads the
// plane once (neighbours from cache), `update` reads and writes it once.
//
// Source: skimage/transform/_radon_transform.pyx; A. H. Andersen and A. C. Kak, "Simultaneous
// algebraic reconstruction technique (SART)", Ultrasonic Imaging 6, 1984. As in the C that is made
// of scikit-image's source, 1 and 2 are doubles there, and so is what they are computed with.
#include "common/rounded.cuh"

// Way of a ray through the circle: samples at (x + k * dx, y + k * dy), k from 0 to `steps`.
template <class W> struct Way {
    W half, between, x, y, dx, dy;  // half of the length; of two samples
    W deviation;
    i64 steps;  // 0: the ray does not meet the circle
};

// The part of a ray that does not depend on the angle.
//   t: distance from the middle
template <class W> __device__ inline Way<W> way_at(W t, i64 side) {
    using A = NumpyArithmetic<W>;
    const W radius = (W)(side / 2 - 1);
    const W reach = A::multiply(radius, radius), square = A::multiply(t, t);
    Way<W> way;
    way.half = reach >= square ? (W)__dsqrt_rn((double)A::subtract(reach, square)) : (W)0;
    way.steps = 2 * (i64)ceil(2 * (double)way.half);
    way.between = way.steps > 0 ? (W)__ddiv_rn(2 * (double)way.half, (double)(W)way.steps) : (W)0;
    return way;
}

// Distance of a ray from the middle.
template <class W> __device__ inline W distance(i64 ray, W shift, i64 side) {
    using A = NumpyArithmetic<W>;
    return A::subtract(A::add((W)ray, shift), (W)(side / 2));
}

// A sample and the pixels around it: row and column of the first one, parts of the way to the next.
template <class W> struct Sample {
    i64 row, column;
    W down, across;
    __device__ Sample(const Way<W>& way, i64 k, i64 side) {
        using A = NumpyArithmetic<W>;
        const W middle = (W)(side / 2);
        const W y = A::add(A::add(way.x, A::multiply((W)k, way.dx)), middle);
        const W x = A::add(A::add(way.y, A::multiply((W)k, way.dy)), middle);
        const double floor_y = floor((double)y), floor_x = floor((double)x);
        row = (i64)floor_y;
        column = (i64)floor_x;
        down = (W)__dsub_rn((double)y, floor_y);
        across = (W)__dsub_rn((double)x, floor_x);
    }
};

// table[ray, k]: of a ray's sample k; width: of its rows.
template <class W> __global__ void windows(W* table, i64 side, i64 width, W shift) {
    const i64 step = (i64)gridDim.x * blockDim.x;
    const W beta = (W)0.46164;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < side * width; i += step) {
        const i64 ray = i / width, k = i - ray * width;
        const Way<W> way = way_at(distance(ray, shift, side), side);
        if (k > way.steps) continue;
        const double turn = __ddiv_rn(__dmul_rn(6.283185307179586, (double)k), (double)(way.steps - 1));
        const double rest = __dsub_rn(1, (double)beta);
        table[i] = (W)__dsub_rn(rest, __dmul_rn((double)beta, cos(turn)));
    }
}

// ways: of all rays of the angle number `angle`
template <class W>
__global__ void rays(const W* plane, const W* sinogram, Way<W>* ways, i64 side, i64 angles, i64 angle, W shift,
                     double cosine, double sine) {
    using A = NumpyArithmetic<W>;
    const i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 ray = (i64)blockIdx.x * blockDim.x + threadIdx.x; ray < side; ray += step) {
        const W t = distance(ray, shift, side);
        Way<W> way = way_at(t, side);
        way.dx = (W)__dmul_rn(-(double)way.between, cosine);
        way.dy = (W)__dmul_rn(-(double)way.between, sine);
        way.x = (W)__dsub_rn(__dmul_rn((double)way.half, cosine), __dmul_rn((double)t, sine));
        way.y = (W)__dadd_rn(__dmul_rn((double)way.half, sine), __dmul_rn((double)t, cosine));
        W sum = 0, norm = 0;
        const double between = (double)way.between;
        for (i64 k = 0; way.steps > 0 && k <= way.steps; ++k) {
            const Sample<W> at(way, k, side);
            const i64 place = at.row * side + at.column;
            const double up = __dsub_rn(1, (double)at.down), left = __dsub_rn(1, (double)at.across);
            const double down = (double)at.down, right = (double)at.across;
            const auto add = [&](W weight, i64 pixel) {
                sum = A::add(sum, A::multiply(weight, plane[pixel]));
                norm = A::add(norm, A::multiply(weight, weight));
            };
            const bool below = at.row < side - 1, beside = at.column < side - 1;
            if (at.row > 0 && at.column > 0) add((W)__dmul_rn(__dmul_rn(up, left), between), place);
            if (at.row > 0 && beside) add((W)__dmul_rn(__dmul_rn(up, right), between), place + 1);
            if (below && at.column > 0) add((W)__dmul_rn(__dmul_rn(down, left), between), place + side);
            if (below && beside)
                add(A::multiply(A::multiply(at.down, at.across), way.between), place + side + 1);
        }
        const W measured = sinogram[ray * angles + angle];
        way.deviation = norm > 0 ? A::divide(-A::subtract(sum, measured), norm) : (W)0;
        ways[ray] = way;
    }
}

// plane += relaxation * update, then clipped if `clips`. `reach`: how far from a pixel, across and
// along the rays, samples give it something, with room for rounding.
template <class W>
__global__ void update(W* plane, const Way<W>* ways, const W* table, i64 side, i64 width, W shift, double cosine,
                       double sine, double reach, W relaxation, bool clips, W low, W high) {
    using A = NumpyArithmetic<W>;
    const i64 step = (i64)gridDim.x * blockDim.x, middle = side / 2;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += step) {
        const i64 row = i / side, column = i - row * side;
        const double y = (double)(row - middle), x = (double)(column - middle);
        const double along = y * cosine + x * sine, across = x * cosine - y * sine;
        // rays by their distance from the middle, which is ray + shift - middle
        const double number = across + (double)middle - (double)shift;
        const double first = fmax(ceil(number - reach), 0.0), last = fmin(floor(number + reach), (double)(side - 1));
        W sum = 0;
        for (i64 ray = (i64)first; (double)ray <= last; ++ray) {
            const Way<W> way = ways[ray];
            if (way.steps == 0) continue;
            const double before = (double)way.half - along, between = (double)way.between;
            const double start = fmax(ceil((before - reach) / between), 0.0);
            const double end = fmin(floor((before + reach) / between), (double)way.steps);
            for (i64 k = (i64)start; (double)k <= end; ++k) {
                const Sample<W> at(way, k, side);
                const i64 below = row - at.row, beside = column - at.column;
                if (below < 0 || below > 1 || beside < 0 || beside > 1) continue;
                if ((below == 0 && row == 0) || (beside == 0 && column == 0)) continue;
                const double left = __dsub_rn(1, (double)at.across), window = (double)table[ray * width + k];
                const double deviation = (double)way.deviation;
                const auto product = [&](double weight) { return __dmul_rn(__dmul_rn(weight, between), window); };
                if (below == 0) {
                    const double part = __dmul_rn(deviation, __dsub_rn(1, (double)at.down));
                    const double given = product(__dmul_rn(part, beside ? (double)at.across : left));
                    sum = (W)__dadd_rn((double)sum, given);
                } else if (beside == 0) {
                    const double part = (double)A::multiply(way.deviation, at.down);
                    sum = (W)__dadd_rn((double)sum, product(__dmul_rn(part, left)));
                } else {
                    const W weight = A::multiply(A::multiply(way.deviation, at.down), at.across);
                    const W given = A::multiply(A::multiply(weight, way.between), (W)window);
                    sum = A::add(sum, given);
                }
            }
        }
        W value = A::add(plane[i], A::multiply(relaxation, sum));
        if (clips) {
            value = value < low ? low : value;
            value = value > high ? high : value;
        }
        plane[i] = value;
    }
}
