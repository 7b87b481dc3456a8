// Connected components of an image in two steps, of a launch each: inside boxes of pixels, in
// shared memory; then across the borders of boxes. union_find.cuh has the trees.
//
// Boxes lie in the last three axes and have the shape that the host chooses for the image: 1 x 64
// x 32 in planes, 8 x 8 x 32 in volumes, one row in lines; rows have 32 pixels or more. Axes before
// these three are joined in the second step alone.
//
//     __shared__ BoxTrees trees;
//     __shared__ BoxValues<T> values;
//     label_in_boxes<Local, Global>(image, trees, values, labels, load);
//   next launch
//     join_all_boxes<Global>(labels, image, same);
//   next launch
//     Index root = Global::root(labels, i);
//
// Pixels are neighbours that are at most `connectivity` steps along axes apart, and at most one
// along each; those are of one component that are no background and of one value.
// Inside a box pixels are bits of words, 32 of a row in each. Only the first pixel of a run of them is an
// element of a tree: a run that ends before its word does, or where a pixel has another value. A row
// beside that of a pixel has up to three neighbours: where the middle one is the same, the others
// are joined with it in their own row; where the pixels on the left are such a pair too, they join
// these two. So only ends of runs unite.
//
// Source: the two levels: V. M. A. Oliveira and R. A. Lotufo, "A study on connected components
// labeling algorithms using GPUs", SIBGRAPI 2010. Words: S. Allegretti, F. Bolelli, M. Cancilla and C. Grana,
// "A block-based union-find algorithm to label connected components on GPUs", ICIAP 2019, has blocks of
// 2 x 2 pixels in their place.
#pragma once
#include "common/pack.cuh"
#include "common/union_find.cuh"

constexpr int BOX_PIXELS = 2048, OUTER_AXES = 5;
constexpr int BOX_WORDS = BOX_PIXELS / 32, STRIP = 8, STRIPS = BOX_PIXELS / STRIP;

// Blocks of the first step that registers allow a multiprocessor to have (types.cuh): strips of 64-bit values
// and indices take more of them.
template <class T, class Index>
constexpr int BLOCKS = sizeof(T) <= 4 && sizeof(Index) <= 4 ? RESIDENT : sizeof(T) <= 4 || sizeof(Index) <= 4 ? 2 : 1;

// The image, without axes of length 1.
template <class Index> struct Volumes {
    Index depth, rows, columns;
    Index outer[OUTER_AXES];     // lengths of the axes before; 1 where there is none
    int z_bits, y_bits, x_bits;  // a box has 2^z_bits planes of 2^y_bits rows of 2^x_bits pixels
    int connectivity;
};

// One box of the image.
template <class Index> struct Box {
    Index volume;             // the number of its volume along the axes before the last three
    Index z0, y0, x0;         // place of its first pixel there
    Index base;               // index of that pixel
    Index row, plane;         // distances from a row, and a plane, to the next
    int planes, rows, columns;  // of it that the image has
    int y_bits, x_bits;

    // Boxes of an image. Any thread.
    __device__ static Index count(const Volumes<Index>& image) {
        Index volumes = 1;
#pragma unroll
        for (int a = 0; a < OUTER_AXES; ++a) volumes *= image.outer[a];
        return volumes * along(image.depth, image.z_bits) * along(image.rows, image.y_bits) *
               along(image.columns, image.x_bits);
    }
    __device__ static Index along(Index length, int bits) { return ((length - 1) >> bits) + 1; }

    Box() = default;
    __device__ Box(const Volumes<Index>& image, Index item) : y_bits(image.y_bits), x_bits(image.x_bits) {
        const auto take = [&](Index length, int bits) {  // the box's place along an axis; `item` is that along all others
            const Index boxes = along(length, bits), whole = boxes == 1 ? item : quotient(item, boxes);
            const Index place = item - whole * boxes;
            item = whole;
            return place << bits;
        };
        x0 = take(image.columns, x_bits);
        y0 = take(image.rows, y_bits);
        z0 = take(image.depth, image.z_bits);
        volume = item;
        planes = within(image.depth - z0, image.z_bits);
        rows = within(image.rows - y0, y_bits);
        columns = within(image.columns - x0, x_bits);
        row = image.columns;
        plane = image.rows * image.columns;
        base = ((volume * image.depth + z0) * image.rows + y0) * image.columns + x0;
    }
    __device__ static Index quotient(Index a, Index b) { return sizeof(Index) == 4 ? (Index)((u32)a / (u32)b) : a / b; }
    __device__ static int within(Index left, int bits) { return left < (Index)1 << bits ? (int)left : 1 << bits; }

    __device__ int x(int i) const { return i & ((1 << x_bits) - 1); }
    __device__ int y(int i) const { return i >> x_bits & ((1 << y_bits) - 1); }
    __device__ int z(int i) const { return i >> (x_bits + y_bits); }

    // Whether the image has pixel i of the box, and its index there. Any thread.
    __device__ bool holds(int i) const { return x(i) < columns && y(i) < rows && z(i) < planes; }
    __device__ Index pixel(int i) const { return at(z(i), y(i), x(i)); }
    __device__ Index at(int z, int y, int x) const { return base + z * plane + y * row + x; }
};

// A box of an image, which one thread computes for all of the block: most of that is division. All threads of
// the block; contains barriers.
template <class Index> __device__ inline Box<Index> box_of_block(const Volumes<Index>& image, Index item) {
    __shared__ Box<Index> made;
    __syncthreads();  // when the one before has been read
    if (threadIdx.x == 0) made = Box<Index>(image, item);
    __syncthreads();
    return made;
}

// Unites `pixel` with its neighbours in one row beside its own.
//   other:    the middle one of them
//   inside:   whether it is united with the middle one already, where they are the same
//   has_*:    whether there are pixels on that side of `pixel`, and so of `other`
//   oblique:  whether those beside the middle one are neighbours
//   same:     bool(p, q), whether q is of the component of p, which is not background
template <class Find, class Index, class Same>
__device__ inline void join_row(Index* parents, Index pixel, Index other, bool inside, bool has_left,
                                bool has_right, bool oblique, const Same& same) {
    if (same(pixel, other)) {
        if (inside) return;
        if (has_left && same(pixel, pixel - 1) && same(other, other - 1)) return;
        Find::unite(parents, pixel, other);
    } else if (oblique) {
        if (has_left && same(pixel, other - 1)) Find::unite(parents, pixel, other - 1);
        if (has_right && same(pixel, other + 1)) Find::unite(parents, pixel, other + 1);
    }
}

// Unites a pixel, which is not background, with those of the rows around its place in a volume
// before its own, `distance` away along `steps` axes. Any thread.
template <class Find, class Index, class Same>
__device__ inline void join_volume(Index* labels, const Volumes<Index>& image, Index z, Index y, Index x,
                                   Index pixel, Index distance, int steps, const Same& same) {
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy) {
            const int all = steps + (dz != 0) + (dy != 0);
            if (all > image.connectivity || z + dz < 0 || z + dz >= image.depth || y + dy < 0 ||
                y + dy >= image.rows)
                continue;
            const Index other = pixel - distance + (dz * image.rows + dy) * image.columns;
            join_row<Find>(labels, pixel, other, false, x > 0, x + 1 < image.columns,
                           all < image.connectivity, same);
        }
}

// Unites the pixels of a box with those of the volumes before its own. All threads of the block.
template <class Find, class Index, class Same>
__device__ inline void join_volumes(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                    const Same& same) {
    int ways = 1;  // to neighbouring volumes, its own among them: three along each axis
#pragma unroll
    for (int a = 0; a < OUTER_AXES; ++a)
        if (image.outer[a] > 1) ways *= 3;
    for (int way = 0; way < ways / 2; ++way) {  // the first half lies before
        int left = way, steps = 0;
        bool there = true;
        Index number = box.volume, distance = 0, stride = image.depth * image.rows * image.columns;
#pragma unroll
        for (int a = OUTER_AXES - 1; a >= 0; --a) {
            // digits of `way` with the first axis as the highest: the first that is not 1 is 0
            const Index length = image.outer[a], place = number % length;
            if (length > 1) {
                const int step = left % 3 - 1;
                left /= 3;
                there = there && place + step >= 0 && place + step < length;
                steps += step != 0;
                distance -= step * stride;
            }
            number /= length;
            stride *= length;
        }
        if (!there || steps > image.connectivity) continue;
        for (int i = threadIdx.x; i < BOX_PIXELS; i += blockDim.x)
            if (box.holds(i) && labels[box.pixel(i)] != BACKGROUND)
                join_volume<Find>(labels, image, box.z0 + box.z(i), box.y0 + box.y(i), box.x0 + box.x(i),
                                  box.pixel(i), distance, steps, same);
    }
}

// Unites a pixel at the border of a box, which is not background, with its neighbours outside of
// the box. Any thread.
template <class Find, class Index, class Same>
__device__ inline void join_outside(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                    int z, int y, int x, const Same& same) {
    const Index pixel = box.at(z, y, x), column = box.x0 + x;
    if (labels[pixel] == BACKGROUND) return;
    const bool left = column > 0, right = column + 1 < image.columns;
    if (x == 0 && left && same(pixel, pixel - 1)) Find::unite(labels, pixel, pixel - 1);
#pragma unroll
    for (int dz = -1; dz <= 0; ++dz)
#pragma unroll
        for (int dy = -1; dy <= (dz ? 1 : -1); ++dy) {
            const int steps = (dz != 0) + (dy != 0);
            const Index row = box.y0 + y + dy;
            if (steps > image.connectivity || box.z0 + z + dz < 0 || row < 0 || row >= image.rows) continue;
            const bool inside = z + dz >= 0 && y + dy >= 0 && y + dy < box.rows;
            join_row<Find>(labels, pixel, pixel + dz * box.plane + dy * box.row, inside, left, right,
                           steps < image.connectivity, same);
        }
}

// Unites the components of a box with those of the boxes before it. All threads of the block.
//   labels:  keys of all pixels, in global memory, united inside boxes
//   same:    as of join_row, of indices of pixels
template <class Find, class Index, class Same>
__device__ inline void join_across(Index* labels, const Volumes<Index>& image, const Box<Index>& box,
                                   const Same& same) {
    // the pixels of each face but the last plane; those of edges come more than once
    const int front = box.z0 > 0 ? box.rows * box.columns : 0;
    const int sides = box.planes * box.columns, ends = box.planes * box.rows;
    for (int item = threadIdx.x; item < front + 2 * (sides + ends); item += blockDim.x) {
        int z = 0, y, x, i = item;
        if (i < front) {
            y = i / box.columns;
            x = i % box.columns;
        } else if ((i -= front) < 2 * sides) {
            z = i % sides / box.columns;
            y = i < sides ? 0 : box.rows - 1;
            x = i % box.columns;
        } else {
            i -= 2 * sides;
            z = i % ends / box.rows;
            y = i % box.rows;
            x = i < ends ? 0 : box.columns - 1;
        }
        join_outside<Find>(labels, image, box, z, y, x, same);
    }
    join_volumes<Find>(labels, image, box, same);
}

// STRIP pixels of a row of a box, which one thread looks at.
template <class Index> struct Strip {
    const Box<Index>& box;
    int number, count;  // which of the box's it is; how many of the pixels the image has
    int z, y, x;        // place of the first one in the box
    Index pixel;        // its index

    __device__ Strip(const Box<Index>& box, int number) : box(box), number(number) {
        const int i = STRIP * number;
        z = box.z(i), y = box.y(i), x = box.x(i);
        pixel = box.at(z, y, x);
        count = y < box.rows && z < box.planes ? box.columns - x : 0;
    }
    // Bits of those that the image has.
    __device__ u32 present() const { return count >= STRIP ? (1u << STRIP) - 1 : count > 0 ? (1u << count) - 1 : 0; }
};

// Bits of a strip's pixels: which are no background, and which of the better kind.
struct Marks {
    u32 here, better;
};

// Bits of those of a strip's pixels k for which is(k). Any thread.
template <class Is> __device__ inline u32 bits_of(const Is& is) {
    u32 bits = 0;
#pragma unroll
    for (int k = 0; k < STRIP; ++k)
        if (is(k)) bits |= 1u << k;
    return bits;
}

// Values from `source` on, for the first `count` of a strip's pixels; 0 for others. Any thread.
template <class T> __device__ inline Pack<T, STRIP> load_strip(const T* source, int count) {
    constexpr int BYTES = STRIP * sizeof(T) < 16 ? STRIP * (int)sizeof(T) : 16;
    if (count >= STRIP && ((u64)source & (BYTES - 1)) == 0) return load_pack<STRIP>(source, true);
    Pack<T, STRIP> pack;
#pragma unroll
    for (int k = 0; k < STRIP; ++k) pack.item[k] = k < count ? source[k] : T();
    return pack;
}

// A row of a box beside another one and before it: how many planes and rows away, through how many
// axes; its pixels that are one more step away are neighbours where it is `oblique`.
struct RowBefore {
    int dz, dy;
    bool is_near, oblique;

    template <class Index> __device__ RowBefore(const Volumes<Index>& image, int which) {
        dz = which ? -1 : 0, dy = which ? which - 2 : -1;
        const int steps = (dz != 0) + (dy != 0);
        is_near = steps <= image.connectivity;
        oblique = steps < image.connectivity;
    }
    // Whether a box has it beside its row y of plane z.
    template <class Index> __device__ bool is_there(const Volumes<Index>& image, int z, int y) const {
        return is_near && z + dz >= 0 && y + dy >= 0 && y + dy < 1 << image.y_bits;
    }
};
constexpr int ROWS_BEFORE = 4;

// Pixels of which all are alike, but for background.
struct OneValue {
    static constexpr bool VARY = false;
    __device__ u32 as_left(int) const { return ~0u; }
    __device__ u32 as_before(int, int, int) const { return ~0u; }
};

// Values of a box's pixels, in shared memory, and words that tell which are alike. There is room between
// strips, so that threads that read theirs meet in no bank, and a strip before the first and behind the last.
template <class T> struct BoxValues {
    static constexpr bool VARY = true;
    static constexpr int ROOM = sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1;
    T all[(STRIPS + 2) * (STRIP + ROOM)];
    u32 left[BOX_WORDS], before[ROWS_BEFORE][3][BOX_WORDS];

    // Value k of a strip, from one before its first to one behind its last. Any thread.
    __device__ T& at(int strip, int k) {
        return all[(strip + 1) * (STRIP + ROOM) + k + (k < 0 ? -ROOM : k < STRIP ? 0 : ROOM)];
    }

    // Tells which pixels of a strip are as those on the left of them, and as those of rows before. Any
    // thread, when all values are there.
    template <class Index>
    __device__ void compare(const Volumes<Index>& image, const Strip<Index>& strip) {
        T own[STRIP + 1];
#pragma unroll
        for (int k = 0; k <= STRIP; ++k) own[k] = at(strip.number, k - 1);
        ((u8*)left)[strip.number] = (u8)alike(own + 1, own);
#pragma unroll
        for (int which = 0; which < ROWS_BEFORE; ++which) {
            const RowBefore row(image, which);
            if (!row.is_there(image, strip.z, strip.y)) continue;
            const int other = strip.number + (row.dz * (1 << image.y_bits) + row.dy) * (1 << image.x_bits) / STRIP;
            T theirs[STRIP + 2];
#pragma unroll
            for (int k = 0; k < STRIP + 2; ++k) theirs[k] = at(other, k - 1);
#pragma unroll
            for (int dx = 0; dx < 3; ++dx)
                if (dx == 1 || row.oblique)
                    ((u8*)before[which][dx])[strip.number] = (u8)alike(own + 1, theirs + dx);
        }
    }
    __device__ static u32 alike(const T* some, const T* others) {
        return bits_of([&](int k) { return some[k] == others[k]; });
    }

    // Of which pixels of a word the one on the left, or the one `dx` beside them in a row before, has the same
    // value. Any thread, when all have been compared.
    __device__ u32 as_left(int word) const { return left[word]; }
    __device__ u32 as_before(int which, int dx, int word) const { return before[which][dx + 1][word]; }
};

// Trees of a box, in shared memory. Words: which pixels are no background, which are of the better kind,
// which begin a run.
struct BoxTrees {
    int parents[BOX_PIXELS];  // of first pixels of runs
    u32 here[BOX_WORDS], better[BOX_WORDS], starts[BOX_WORDS];

    // First pixel of the run of pixel i. Any thread.
    __device__ int start(int i) const { return i - __clz(starts[i >> 5] << (~i & 31)); }

    // Bits of the pixels on the left, and on the right, of those of a word; 0 outside of the box. Any thread.
    __device__ u32 on_left(int word, int x_bits) const {
        const bool is_first = (word & ((1 << (x_bits - 5)) - 1)) == 0;
        return here[word] << 1 | (is_first ? 0 : here[word - 1] >> 31);
    }
    __device__ u32 on_right(int word, int x_bits) const {
        const bool is_last = (~word & ((1 << (x_bits - 5)) - 1)) == 0;
        return here[word] >> 1 | (is_last ? 0 : here[word + 1] << 31);
    }

    // Which pixels of a word are of one component with those on the left of them. Any thread.
    template <class Values> __device__ u32 joined(const Values& values, int word, int x_bits) const {
        return here[word] & on_left(word, x_bits) & values.as_left(word);
    }

    // Finds the runs of a word, which are trees then. Any thread.
    template <class Local, class Values> __device__ void begin(const Values& values, int word, int x_bits) {
        u32 inside = joined(values, word, x_bits) & ~1u;
        const u32 first = starts[word] = here[word] & ~inside;
        u32 best = ~0u;
        if (Local::TWO_KINDS) {  // what one pixel is goes to all before it in its run
            best = better[word];
            inside >>= 1;
#pragma unroll
            for (int step = 1; step < 32; step *= 2) {
                best |= best >> step & inside;
                inside &= inside >> step;
            }
        }
        for (u32 left = first; left; left &= left - 1) {
            const int bit = __ffs(left) - 1, i = 32 * word + bit;
            parents[i] = Local::key(i, best >> bit & 1);
        }
    }

    // Unites the runs of a word with those before them. Any thread.
    template <class Local, class Index, class Values>
    __device__ void unite(const Volumes<Index>& image, const Values& values, int word) {
        const u32 inside = joined(values, word, image.x_bits);
        if (inside & 1) Local::unite(parents, 32 * word, start(32 * word - 1));
        const int row_bits = image.x_bits - 5, y = word >> row_bits & ((1 << image.y_bits) - 1);
        for (int which = 0; which < ROWS_BEFORE; ++which) {
            const RowBefore row(image, which);
            if (!row.is_there(image, word >> (row_bits + image.y_bits), y)) continue;
            const int other = word + (row.dz * (1 << image.y_bits) + row.dy) * (1 << row_bits);
            u32 middle = here[word] & here[other] & values.as_before(which, 0, word), left = 0, right = 0;
            if (row.oblique) {
                left = here[word] & on_left(other, image.x_bits) & values.as_before(which, -1, word) & ~middle & ~inside;
                right = here[word] & on_right(other, image.x_bits) & values.as_before(which, 1, word) & ~middle &
                        ~(inside >> 1);
            }
            middle &= ~(middle << 1 & inside);
            while (u32 bits = middle | left | right) {
                bits &= ~bits + 1;  // the lowest of them
                const int i = __ffs(bits) - 1, dx = middle & bits ? 0 : left & bits ? -1 : 1;
                (dx == 0 ? middle : dx < 0 ? left : right) ^= bits;
                Local::unite(parents, start(32 * word + i), start(32 * other + i + dx));
            }
        }
    }

    // Hangs the runs that begin in a strip below their roots. Any thread, when all have been united.
    template <class Local> __device__ void flatten(int strip) {
        for (u32 left = ((const u8*)starts)[strip]; left; left &= left - 1)
            Local::lift(parents, STRIP * strip + __ffs(left) - 1);
    }
};

// Writes labels of LABELS pixels of a box from pixel i on. Any thread.
constexpr int LABELS = 4;
template <class Local, class Global, class Index>
__device__ inline void write_labels(const Box<Index>& box, const BoxTrees& trees, int i, Index* labels) {
    if (!box.holds(i)) return;
    const u32 here = trees.here[i >> 5] >> (i & 31), starts = trees.starts[i >> 5] >> (i & 31);
    const auto key = [&](int start) {
        const int root = trees.parents[start];
        return Global::key(box.pixel(Local::element(root)), Local::is_better(root));
    };
    Pack<Index, LABELS> pack;
    Index last = here & 1 ? key(trees.start(i)) : (Index)BACKGROUND;
    pack.item[0] = last;
#pragma unroll
    for (int k = 1; k < LABELS; ++k) {
        if (starts >> k & 1) last = key(i + k);
        pack.item[k] = here >> k & 1 ? last : (Index)BACKGROUND;
    }
    const Index pixel = box.pixel(i);
    const int count = box.columns - box.x(i);
    if (count >= LABELS && is_aligned(labels + pixel))
        store_pack<LABELS>(labels + pixel, pack, true);
    else
#pragma unroll
        for (int k = 0; k < LABELS; ++k)
            if (k < count) labels[pixel + k] = pack.item[k];
}

// The first step. All threads of the block.
//   labels:   global memory for the image, which gets the key of each pixel's root in its box,
//             BACKGROUND where it is of no component
//   load:     Marks(const Strip<Index>& strip) of the pixels of each strip, once, whose values are set then;
//             of those that the image has not, any
//   values:   shared memory; OneValue or BoxValues
template <class Local, class Global, class Index, class Values, class Load>
__device__ inline void label_in_boxes(const Volumes<Index>& image, BoxTrees& trees, Values& values, Index* labels,
                                      const Load& load) {
    const Index boxes = Box<Index>::count(image);
    for (Index item = blockIdx.x; item < boxes; item += gridDim.x) {
        const Box<Index> box = box_of_block(image, item);
        for (int s = threadIdx.x; s < STRIPS; s += blockDim.x) {
            const Strip<Index> strip(box, s);
            const Marks marks = load(strip);
            ((u8*)trees.here)[s] = (u8)(marks.here & strip.present());
            if (Local::TWO_KINDS) ((u8*)trees.better)[s] = (u8)marks.better;
        }
        __syncthreads();
        if constexpr (Values::VARY) {
            for (int s = threadIdx.x; s < STRIPS; s += blockDim.x) values.compare(image, Strip<Index>(box, s));
            __syncthreads();
        }
        for (int w = threadIdx.x; w < BOX_WORDS; w += blockDim.x) trees.begin<Local>(values, w, image.x_bits);
        __syncthreads();
        for (int w = threadIdx.x; w < BOX_WORDS; w += blockDim.x) trees.unite<Local>(image, values, w);
        __syncthreads();
        for (int s = threadIdx.x; s < STRIPS; s += blockDim.x) trees.flatten<Local>(s);
        __syncthreads();
        for (int i = LABELS * threadIdx.x; i < BOX_PIXELS; i += LABELS * blockDim.x)
            write_labels<Local, Global>(box, trees, i, labels);
    }
}

// The second step. All threads of the block.
//   same:  as of join_row, of indices of pixels
template <class Global, class Index, class Same>
__device__ inline void join_all_boxes(Index* labels, const Volumes<Index>& image, const Same& same) {
    const Index boxes = Box<Index>::count(image);
    for (Index item = blockIdx.x; item < boxes; item += gridDim.x)
        join_across<Global>(labels, image, box_of_block(image, item), same);
}
