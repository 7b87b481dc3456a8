// Kernels whose instructions and requests can be counted by hand: blocks of 128 threads.

// Two loads, a product, a sum and a store a thread.
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// The same with elements apart, and not where a sector begins.
extern "C" __global__ void strided(const float* x, float* y, int stride, int shift) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * stride + shift];
}

// `count` sums in double a thread, one after the other.
extern "C" __global__ void sums(const double* x, double* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k) sum += x[i];
    y[i] = sum;
}

// Even and odd lanes go two ways, and meet again.
extern "C" __global__ void parted(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    if (i & 1) {
#pragma unroll 1
        for (int k = 0; k < 10; ++k) value = value * 0.5f + 1;
    } else {
#pragma unroll 1
        for (int k = 0; k < 20; ++k) value = value * 0.25f - 1;
    }
    y[i] = value + 3;
}

// Turned by way of shared memory; `pitch` of 32 has all lanes of a column in one bank.
extern "C" __global__ void turned(const float* x, float* y, int pitch) {
    extern __shared__ float tile[];
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int row = threadIdx.x / 32; row < 32; row += 4) tile[row * pitch + lane] = x[row * 32 + lane];
    __syncthreads();
#pragma unroll 1
    for (int row = threadIdx.x / 32; row < 32; row += 4) y[row * 32 + lane] = tile[lane * pitch + row];
}

// From one memory or the other, as the block's number tells.
extern "C" __global__ void either(const int* x, int* y) {
    __shared__ int twice[128];
    __shared__ const int* from;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    twice[threadIdx.x] = 2 * x[i];
    if (threadIdx.x == 0) from = blockIdx.x % 2 ? twice : x + i;
    __syncthreads();
    y[i] = from[threadIdx.x ^ 1];
}

// All threads add to one place, and each warp tells what its lanes have.
extern "C" __global__ void gathered(const int* x, unsigned long long* sum, int* largest) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = x[i];
    atomicAdd(sum, (unsigned long long)value);
    for (int k = 16; k; k /= 2) value = max(value, __shfl_xor_sync(0xffffffffu, value, k));
    if (threadIdx.x % 32 == 0) largest[i / 32] = value;
}

__constant__ int TABLE[4] = {3, 1, 4, 1};
__device__ int TOTAL[2] = {100, 200};

// Functions of which the compiler makes long code, subroutines and tables.
extern "C" __global__ void functions(const double* x, double* y, long long n, int d) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const double v = x[i];
    double* out = y + i;
    out[0] = sqrt(v) / d;
    out[n] = fmax(v, 0.5) + fmin(v, 0.25);
    out[2 * n] = exp(v) * log(v + 1);
    out[3 * n] = atan2(v, 0.5 - v);
    out[4 * n] = pow(v, 1.0 / 3);
    out[5 * n] = sin(20 * v) + floor(9 * v);
    out[6 * n] = (double)(i * 12345678901LL / d) + (double)(i % d);
    out[7 * n] = (double)(float)v + (float)v / 3.0f + (double)(unsigned char)(v * 255);
    out[8 * n] = TABLE[i & 3] + TOTAL[i & 1];
    out[9 * n] = __popcll(i * 77) + __clz((int)i + 1) + (double)(short)(i * 999);
}
