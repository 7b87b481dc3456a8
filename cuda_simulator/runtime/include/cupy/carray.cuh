// `CArray`, an array with its shape and strides, and `CIndexer`, an index into the loop's
// shape: the parameters of elementwise and reduction kernels. Layouts are the ones that
// _parameters.py packs.
#pragma once
#include "math.hpp"
#include "integers.hpp"

#ifndef M_PI
#define M_PI 3.1415926535897932384626433832795
#endif
#define CUPY_FOR(i, n)                                                                          \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);               \
         i += (ptrdiff_t)blockDim.x * gridDim.x)

class float16;

namespace cupy {
namespace type_traits {
template <bool b, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <class A, class B> struct is_same { static const bool value = false; };
template <class A> struct is_same<A, A> { static const bool value = true; };
}  // namespace type_traits
}  // namespace cupy

template <class T, int n, bool contiguous = false, bool small = false> class CArray {
public:
    static const int ndim = n;
    static const bool c_contiguous = contiguous;
    typedef typename cupy::type_traits::conditional<small, int, ptrdiff_t>::type index_t;

    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return shape_; }
    const ptrdiff_t* strides() const { return strides_; }

    // By position in C order, whatever the strides.
    const T& operator[](ptrdiff_t i) const {
        if (contiguous) return data_[i];
        ptrdiff_t offset = 0;
        for (int d = n; --d > 0;) {
            offset += strides_[d] * (i % shape_[d]);
            i /= shape_[d];
        }
        return at(offset + strides_[0] * i);
    }
    T& operator[](ptrdiff_t i) { return const_cast<T&>(const_cast<const CArray&>(*this)[i]); }

    // By one index for each dimension.
    template <class I> const T& operator[](const I (&index)[n]) const {
        ptrdiff_t offset = 0;
        for (int d = 0; d < n; ++d) offset += strides_[d] * (ptrdiff_t)index[d];
        return at(offset);
    }
    template <class I> T& operator[](const I (&index)[n]) {
        return const_cast<T&>(const_cast<const CArray&>(*this)[index]);
    }

private:
    T* data_;
    ptrdiff_t size_, shape_[n], strides_[n];

    const T& at(ptrdiff_t offset) const { return *(const T*)((const char*)data_ + offset); }
};

template <class T, bool contiguous, bool small> class CArray<T, 0, contiguous, small> {
public:
    static const int ndim = 0;
    static const bool c_contiguous = true;
    typedef typename cupy::type_traits::conditional<small, int, ptrdiff_t>::type index_t;
    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return nullptr; }
    const ptrdiff_t* strides() const { return nullptr; }
    template <class I> T& operator[](const I&) { return *data_; }
    template <class I> const T& operator[](const I&) const { return *data_; }

private:
    T* data_;
    ptrdiff_t size_;
};

template <int n, bool small = false> class CIndexer {
public:
    static const int ndim = n;
    typedef ptrdiff_t index_t[n];

    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* shape() const { return shape_; }
    const index_t& get() const { return index_; }
    ptrdiff_t operator[](int d) const { return index_[d]; }
    void set(ptrdiff_t i) {
        for (int d = n; --d > 0;) {
            index_[d] = i % shape_[d];
            i /= shape_[d];
        }
        index_[0] = i;
    }
    // From the index of one element to that of the next one.
    void sim_next() {
        for (int d = n; --d > 0;) {
            if (++index_[d] < shape_[d]) return;
            index_[d] = 0;
        }
        ++index_[0];
    }

private:
    ptrdiff_t size_, shape_[n], index_[n];
};

template <bool small> class CIndexer<0, small> {
public:
    static const int ndim = 0;
    ptrdiff_t size() const { return size_; }
    const ptrdiff_t* get() const { return nullptr; }
    void set(ptrdiff_t) {}
    void sim_next() {}

private:
    ptrdiff_t size_;
};

#define SIM_FLOOR_DIVIDE(T)                                            \
    inline T _floor_divide(T x, T y) {                                 \
        if (y == 0) return 0;                                          \
        const T q = x / y;                                             \
        return q - (((x < 0) != (y < 0)) && q * y != x);               \
    }
SIM_FLOOR_DIVIDE(int)
SIM_FLOOR_DIVIDE(unsigned)
SIM_FLOOR_DIVIDE(long long)
SIM_FLOOR_DIVIDE(unsigned long long)
#undef SIM_FLOOR_DIVIDE
inline float _floor_divide(float x, float y) { return floor(x / y); }
inline double _floor_divide(double x, double y) { return floor(x / y); }
