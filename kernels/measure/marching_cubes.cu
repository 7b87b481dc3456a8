// Surfaces in volumes: cells, their triangles and the vertices that they share.
//
//     classify_cells  volume -> tiling of each cell
//     count_cells     tilings -> edges whose vertices are new in a cell; sums of each tile of cells
//     place_cells     numbers of each cell's first new vertex and of its first triangle
//     emit_vertices   vertices, normals and values
//     emit_faces      three vertices for each triangle
//
// Volume: any real dtype, taken in single precision as scikit-image does, (planes, rows, columns),
// C-contiguous. The volume is read twice, the second time where its surface is; 2 bytes a cell are
// written and read twice, 6 bytes more and 12 in a list for each cell with triangles.
//
// Vertices are numbered in the order in which scikit-image meets them: by cells, and within a cell by
// its triangles. A vertex is new in the first cell that uses its edge; its number is that of the
// cell's first new one, and how many new ones of the cell come in before it. What cells add to a
// normal is added in the order of cells, too.
//
// Source: scikit-image `measure.marching_cubes` (_marching_cubes_lewiner_cy.pyx); T. Lewiner, H. Lopes,
// A. W. Vieira, G. Tavares, "Efficient implementation of marching cubes' cases with topological
// guarantees", Journal of Graphics Tools 8(2), 2003; two passes: W. Schroeder, R. Maynard, B. Geveci,
// "Flying Edges", LDAV 2015.
#include "common/reduce.cuh"
#include "common/scan.cuh"
#include "measure/cubes.cuh"

constexpr int TILE = 1024, THREADS = 256;  // cells of a tile; of a block at most so many threads
constexpr u16 EMPTY = 0, IMPOSSIBLE = 1;   // as _cube_tables.py

// a * b - c * d, each product rounded.
__device__ inline double determinant(double a, double b, double c, double d) {
    return rounded_product(a, b) - rounded_product(c, d);
}

// Whether the surface joins the two corners of a face that are above the level.
template <class T> __device__ inline bool joins_on_face(const Corners<T>& v, int face) {
    u32 corners;  // as scikit-image's A, B, C, D
    switch (face < 0 ? -face : face) {
        case 1: corners = 0x0451; break;
        case 2: corners = 0x1562; break;
        case 3: corners = 0x2673; break;
        case 4: corners = 0x3740; break;
        case 5: corners = 0x0321; break;
        default: corners = 0x4765;
    }
    const double a = v[corners >> 12], b = v[corners >> 8 & 15], c = v[corners >> 4 & 15], d = v[corners & 15];
    const double difference = determinant(a, c, b, d);
    if (difference > -TINY && difference < TINY) return face >= 0;
    return (double)face * a * difference >= 0;
}

// start + (end - start) * t
__device__ inline double between(double start, double end, double t) { return plus_product(start, end - start, t); }

// Answer of the test of the interior: by an edge of the cell, counted from 1, or, as the 13th one, between
// its diagonals. The sign is that of what scikit-image compares the answer with.
template <class T> __device__ inline bool is_joined_inside(const Corners<T>& v, int signed_test) {
    const bool positive = signed_test > 0;
    const int test = positive ? signed_test : -signed_test;
    double a = 0, b, c, d;
    if (test == 13) {
        const double v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
        const double d0 = v[4] - v0, d1 = v[5] - v1, d2 = v[6] - v2, d3 = v[7] - v3;
        const double square = determinant(d0, d2, d3, d1);
        const double linear = rounded_product(v2, d0) + rounded_product(v0, d2) - rounded_product(v1, d3) -
                              rounded_product(v3, d1);
        const double t = -linear / (2 * square + TINY);
        if (t < 0 || t > 1) return positive;
        a = plus_product(v0, d0, t);
        b = plus_product(v3, d3, t);
        c = plus_product(v2, d2, t);
        d = plus_product(v1, d1, t);
    } else {
        u32 corners;  // of the edge, then from and to of B, C, D
        switch (test - 1) {
            case 0: corners = 0x01327645; break;
            case 1: corners = 0x12034756; break;
            case 2: corners = 0x23105467; break;
            case 3: corners = 0x30216574; break;
            case 4: corners = 0x45763201; break;
            case 5: corners = 0x56470312; break;
            case 6: corners = 0x67541023; break;
            case 7: corners = 0x74652130; break;
            case 8: corners = 0x04372615; break;
            case 9: corners = 0x15043726; break;
            case 10: corners = 0x26150437; break;
            default: corners = 0x37261504;
        }
        const double start = v[corners >> 28], t = start / (start - v[corners >> 24 & 15] + TINY);
        b = between(v[corners >> 20 & 15], v[corners >> 16 & 15], t);
        c = between(v[corners >> 12 & 15], v[corners >> 8 & 15], t);
        d = between(v[corners >> 4 & 15], v[corners & 15], t);
    }
    const int signs = (a >= 0) | (b >= 0) << 1 | (c >= 0) << 2 | (d >= 0) << 3;
    if (signs == 5) return determinant(a, c, b, d) < TINY && positive;
    if (signs == 10) return determinant(a, c, b, d) >= TINY && positive;
    constexpr u32 NEGATIVE = 1 << 7 | 1 << 11 | 1 << 13 | 1 << 14 | 1 << 15;
    return NEGATIVE >> signs & 1 ? !positive : positive;
}

// mask       as the volume, or null: a cell counts where the mask is not 0 at its last corner
// threshold  the largest float that is not above the level
template <class T>
__global__ void classify_cells(const T* volume, const u8* mask, const Cells cells, double level, float threshold,
                               const u8* bytes, i64 tilings, u16* found) {
    const Tables tables = {bytes, tilings};
    const i64 stride = (i64)gridDim.x * blockDim.x, first = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    const Place jump = place_of(cells, stride);
    Place at = place_of(cells, first);
    for (i64 cell = first; cell < cells.count(); cell += stride) {
        const Corners<T> v(volume, cells, at, level);
        int index = 0, tiling = EMPTY;
        if (!mask || mask[(v.first - volume) + v.plane + v.row + v.step]) {
#pragma unroll
            for (int corner = 0; corner < 8; ++corner)
                index |= (v.element(corner_z(corner), corner_y(corner), corner_x(corner)) > threshold) << corner;
            const Kind& kind = tables.kind(index);
            int answers = 0;
            for (int k = 0; k < 6 && kind.faces[k]; ++k) answers |= joins_on_face(v, kind.faces[k]) << k;
            const Outcome outcome = tables.outcome(kind.first + answers);
            tiling = !outcome.test || is_joined_inside(v, outcome.test) ? outcome.yes : outcome.no;
        }
        found[cell] = (u16)tiling;
        // the cell that lies `stride` cells behind
        at = {at.z + jump.z, at.y + jump.y, at.x + jump.x};
        if (at.x >= cells.nx) at.x -= cells.nx, ++at.y;
        if (at.y >= cells.ny) at.y -= cells.ny, ++at.z;
    }
}

// Whether an earlier one of the four cells around an edge uses it.
__device__ inline bool is_known(const Cells& cells, const Place& at, const Edge& edge, const u16* found,
                                const Tables& tables) {
    for (int k = 0; k < 4; ++k) {
        const int p = 1 - (k >> 1), q = 1 - (k & 1);  // cells in their order: the edge lies last in the first one
        if (p == edge.p && q == edge.q) return false;
        const Place other = edge.neighbour(at, p, q);
        if (is_cell(cells, other) && tables.tiling(found[cell_at(cells, other)]).used >> edge.in(p, q).number() & 1)
            return true;
    }
    return false;
}

// What a cell counts for in a tile: one with triangles, new vertices, triangles and impossible ones.
__device__ inline u64 counted(int tiling, int fresh, const Tables& tables) {
    if (tiling == EMPTY) return 0;
    return 1 | (u64)__popc((u32)fresh) << 16 | (u64)tables.tiling(tiling).triangles << 32 |
           (u64)(tiling == IMPOSSIBLE) << 48;
}

// fresh   for each cell with triangles its edges whose vertices are new, a bit for each
// sums    four lines of numbers, one for each tile: what `counted` counts
__global__ void count_cells(const u16* found, const Cells cells, const u8* bytes, i64 tilings, u16* fresh, i64* sums) {
    __shared__ u64 total;
    const Tables tables = {bytes, tilings};
    const i64 n = cells.count(), tiles = (n + TILE - 1) / TILE;
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (threadIdx.x == 0) total = 0;
        __syncthreads();
        u64 mine = 0;
        for (int k = threadIdx.x; k < TILE && tile * TILE + k < n; k += blockDim.x) {
            const i64 cell = tile * TILE + k;
            const int tiling = found[cell];
            if (tiling == EMPTY) continue;
            const Place at = place_of(cells, cell);
            u32 made = 0;
            for (u32 left = tables.tiling(tiling).used; left; left &= left - 1) {
                const u32 bit = left & (~left + 1);
                const int edge = __popc(bit - 1);
                if (edge == CENTER || !is_known(cells, at, Edge::of(edge), found, tables)) made |= bit;
            }
            fresh[cell] = (u16)made;
            mine += counted(tiling, made, tables);
        }
        if (mine) atomicAdd(&total, mine);
        __syncthreads();
        for (int k = threadIdx.x; k < 4; k += blockDim.x) sums[k * tiles + tile] = (i64)(total >> 16 * k & 0xffff);
        __syncthreads();  // before the next tile
    }
}

// ends    running sums of the lines that count_cells has made
// bases   for each cell with triangles the number of its first new vertex
// listed  cells with triangles, and the numbers of their first triangles
__global__ void place_cells(const u16* found, const u16* fresh, i64 n, const u8* bytes, i64 tilings, const i64* ends,
                            u32* bases, i64* listed, u32* firsts) {
    __shared__ u64 counts[TILE], sums[THREADS];
    const Tables tables = {bytes, tilings};
    const i64 tiles = (n + TILE - 1) / TILE;
    for (i64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const i64 begin = tile * TILE;
        const int count = n - begin < TILE ? (int)(n - begin) : TILE;
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            const int tiling = found[begin + k];
            counts[k] = counted(tiling, tiling == EMPTY ? 0 : fresh[begin + k], tables);
        }
        __syncthreads();
        block_scan(counts, count, sums);
        for (int k = threadIdx.x; k < count; k += blockDim.x) {
            if (found[begin + k] == EMPTY) continue;
            const u64 before = k ? counts[k - 1] : 0;
            const auto place = [&](int line) {
                return (tile ? ends[line * tiles + tile - 1] : 0) + (i64)(before >> 16 * line & 0xffff);
            };
            bases[begin + k] = (u32)place(1);
            listed[place(0)] = begin + k;
            firsts[place(0)] = (u32)place(2);
        }
        __syncthreads();  // before the next tile
    }
}

// What cells add to a normal, in single precision, and the largest of their ranges of values.
struct Gathered {
    float x, y, z, value;
    __device__ void add(double gx, double gy, double gz) { x += (float)gx, y += (float)gy, z += (float)gz; }
    __device__ void see(double range) {
        if (range > (double)value) value = (float)range;
    }
};

template <class T> __device__ inline double range_of(const Corners<T>& v) {
    double low = 0, high = 0;
#pragma unroll
    for (int corner = 0; corner < 8; ++corner) {
        const double value = v[corner];
        if (value > high) high = value;
        if (value < low) low = value;
    }
    return high - low;
}

__device__ inline double strength(double value) { return 1.0 / (TINY + (value < 0 ? -value : value)); }

// Adds the gradient at an end of an edge; as in scikit-image, that at places 2 and 3 along x is taken for each
// other's.
template <class T> __device__ inline void add_end(Gathered& sum, const Corners<T>& v, int z, int y, int x) {
    const double by = (double)(float)strength(v.above(z, y, x));
    const int other = x ^ y;
    sum.add((v.above(z, y, 0) - v.above(z, y, 1)) * by, (v.above(z, 0, other) - v.above(z, 1, other)) * by,
            (v.above(0, y, other) - v.above(1, y, other)) * by);
}

// Places of the first end of an edge, along z, y and x, and of the second one. Four edges are told backward.
struct Ends {
    int z, y, x, dz, dy, dx;
    __device__ static Ends of(int number) {
        const Edge edge = Edge::of(number);
        const int backward = number < 8 && (number & 2);
        if (edge.axis == 2) return {0, edge.p, edge.q, 1, 0, 0};
        const int step = backward ? -1 : 1;
        if (edge.axis == 1) return {edge.p, backward, edge.q, 0, step, 0};
        return {edge.p, edge.q, backward, 0, 0, step};
    }
};

// Position of a vertex between the ends of an edge.
template <class T>
__device__ inline void store_position(const Corners<T>& v, const Cells& cells, const Place& at, const Ends& e,
                                      float* vertex) {
    const int z = e.z + e.dz, y = e.y + e.dy, x = e.x + e.dx;
    const double first = strength(v.above(e.z, e.y, e.x)), second = strength(v.above(z, y, x)), sum = first + second;
    const double step = (double)cells.step;
    vertex[0] = (float)((double)(at.z * cells.step) + step * (e.z * first + z * second) / sum);
    vertex[1] = (float)((double)(at.y * cells.step) + step * (e.y * first + y * second) / sum);
    vertex[2] = (float)((double)(at.x * cells.step) + step * (e.x * first + x * second) / sum);
}

// The vertex in a cell's center, and what it adds to its normal `times` times.
template <class T>
__device__ inline void store_center(const Corners<T>& v, const Cells& cells, const Place& at, int times, float* vertex,
                                    Gathered& sum) {
    double fx = 0, fy = 0, fz = 0, all = 0, gx = 0, gy = 0, gz = 0;
#pragma unroll
    for (int corner = 0; corner < 8; ++corner) {
        const int x = corner_x(corner), y = corner_y(corner), z = corner_z(corner);
        const double by = strength(v.above(z, y, x));
        fx += x * by;
        fy += y * by;
        fz += z * by;
        all += by;
        const double dx = v.above(z, y, 0) - v.above(z, y, 1), dy = v.above(z, 0, x) - v.above(z, 1, x),
                     dz = v.above(0, y, x) - v.above(1, y, x);
        gx = corner ? plus_product(gx, by, dx) : by * dx;
        gy = corner ? plus_product(gy, by, dy) : by * dy;
        gz = corner ? plus_product(gz, by, dz) : by * dz;
    }
    const double step = (double)cells.step;
    vertex[0] = (float)((double)(at.z * cells.step) + step * fz / all);
    vertex[1] = (float)((double)(at.y * cells.step) + step * fy / all);
    vertex[2] = (float)((double)(at.x * cells.step) + step * fx / all);
    for (int k = 0; k < times; ++k) sum.add(gx, gy, gz);
    sum.see(range_of(v));
}

// Of `many` listed cells the new vertices, (z, y, x), their normals, of length 1, and values.
template <class T>
__global__ void emit_vertices(const T* volume, const Cells cells, double level, const u8* bytes, i64 tilings,
                              const u16* found, const u16* fresh, const u32* bases, const i64* listed, i64 many,
                              float* vertices, float* normals, float* values) {
    const Tables tables = {bytes, tilings};
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < many; i += (i64)gridDim.x * blockDim.x) {
        const i64 cell = listed[i];
        const Place at = place_of(cells, cell);
        const Tiling& tiling = tables.tiling(found[cell]);
        const u32 made = fresh[cell];
        const Corners<T> v(volume, cells, at, level);
        for (u32 left = made; left; left &= left - 1) {
            const int number = __popc((left & (~left + 1)) - 1);
            const i64 vertex = (i64)bases[cell] + __popc(made & tiling.before[number]);
            Gathered sum = {0, 0, 0, 0};
            if (number == CENTER) {
                store_center(v, cells, at, tiling.times[CENTER], vertices + 3 * vertex, sum);
            } else {
                store_position(v, cells, at, Ends::of(number), vertices + 3 * vertex);
                const Edge edge = Edge::of(number);
                for (int k = 0; k < 4; ++k) {  // cells around the edge, in their order
                    const int p = 1 - (k >> 1), q = 1 - (k & 1);
                    const Place other = edge.neighbour(at, p, q);
                    if (!is_cell(cells, other)) continue;
                    const int there = edge.in(p, q).number();
                    const int times = tables.tiling(found[cell_at(cells, other)]).times[there];
                    if (!times) continue;
                    const Corners<T> w(volume, cells, other, level);
                    const Ends e = Ends::of(there);
                    for (int time = 0; time < times; ++time) {
                        add_end(sum, w, e.z, e.y, e.x);
                        add_end(sum, w, e.z + e.dz, e.y + e.dy, e.x + e.dx);
                    }
                    sum.see(range_of(w));
                }
            }
            double length = rounded_product((double)sum.x, (double)sum.x);
            length = plus_product(length, (double)sum.y, (double)sum.y);
            length = plus_product(length, (double)sum.z, (double)sum.z);
            if (length > 0) length = 1.0 / sqrt(length);
            normals[3 * vertex] = (float)((double)sum.z * length);
            normals[3 * vertex + 1] = (float)((double)sum.y * length);
            normals[3 * vertex + 2] = (float)((double)sum.x * length);
            values[vertex] = sum.value;
        }
    }
}

// The number of the vertex on an edge, which is new in the first of the cells around it that use it.
__device__ inline u32 vertex_on(const Cells& cells, const Place& at, int number, const u16* found, const u16* fresh,
                                const u32* bases, const Tables& tables) {
    Place owner = at;
    int there = number;
    if (number != CENTER) {
        const Edge edge = Edge::of(number);
        for (int k = 0; k < 4; ++k) {
            const int p = 1 - (k >> 1), q = 1 - (k & 1);
            owner = edge.neighbour(at, p, q), there = edge.in(p, q).number();
            if ((p == edge.p && q == edge.q) ||
                (is_cell(cells, owner) && tables.tiling(found[cell_at(cells, owner)]).used >> there & 1))
                break;
        }
    }
    const i64 cell = cell_at(cells, owner);
    return bases[cell] + __popc((u32)fresh[cell] & tables.tiling(found[cell]).before[there]);
}

// flipped  whether a triangle's vertices come in backward
__global__ void emit_faces(const Cells cells, const u8* bytes, i64 tilings, const u16* found, const u16* fresh,
                           const u32* bases, const i64* listed, const u32* firsts, i64 many, bool flipped, int* faces) {
    const Tables tables = {bytes, tilings};
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < many; i += (i64)gridDim.x * blockDim.x) {
        const i64 cell = listed[i];
        const Place at = place_of(cells, cell);
        const Tiling& tiling = tables.tiling(found[cell]);
        int* const to = faces + 3 * (i64)firsts[i];
        for (int k = 0; k < 3 * tiling.triangles; ++k)
            to[flipped ? k + 2 - 2 * (k % 3) : k] =
                (int)vertex_on(cells, at, tiling.edges[k], found, fresh, bases, tables);
    }
}
