// `complex<float>` and `complex<double>` with their operators and functions. What is more
// than arithmetic is computed by the C library.
#pragma once
#include "math.hpp"

namespace thrust {

template <class T> class complex {
public:
    typedef T value_type;
    complex() = default;
    complex(const T& re, const T& im = T()) : re_(re), im_(im) {}
    template <class U> complex(const complex<U>& z) : re_((T)z.real()), im_((T)z.imag()) {}
    complex(const complex&) = default;
    complex& operator=(const complex&) = default;
    complex& operator=(const T& re) { return *this = complex(re); }

    T real() const { return re_; }
    T imag() const { return im_; }
    void real(T v) { re_ = v; }
    void imag(T v) { im_ = v; }
#define SIM_ASSIGN(op) \
    template <class U> complex& operator op##=(const U& v) { return *this = *this op v; }
    SIM_ASSIGN(+) SIM_ASSIGN(-) SIM_ASSIGN(*) SIM_ASSIGN(/)
#undef SIM_ASSIGN

private:
    T re_, im_;
};

// The type of a result: the wider of two parts, where a real number may be an integer.
template <class A, class B> struct sim_wider { typedef A type; };
template <> struct sim_wider<float, double> { typedef double type; };
template <class A, class B> using sim_complex = complex<typename sim_wider<A, B>::type>;
// A real number: not a complex one, which `C` would be.
template <class T> struct sim_real { typedef int type; };
template <class T> struct sim_real<complex<T>> {};
#define SIM_REAL(B) typename sim_real<B>::type = 0

#define SIM_COMPLEX(op, both, left, right)                                                         \
    template <class A, class B>                                                                    \
    inline sim_complex<A, B> operator op(const complex<A>& x, const complex<B>& y) {               \
        typedef typename sim_wider<A, B>::type T;                                                  \
        const T a = x.real(), b = x.imag(), c = y.real(), d = y.imag();                            \
        both                                                                                       \
    }                                                                                              \
    template <class A, class B, SIM_REAL(B)>                                                       \
    inline sim_complex<A, B> operator op(const complex<A>& x, const B& y) {                        \
        typedef typename sim_wider<A, B>::type T;                                                  \
        const T a = x.real(), b = x.imag(), c = (T)y;                                              \
        left                                                                                       \
    }                                                                                              \
    template <class A, class B, SIM_REAL(B)>                                                       \
    inline sim_complex<A, B> operator op(const B& y, const complex<A>& x) {                        \
        typedef typename sim_wider<A, B>::type T;                                                  \
        const T a = x.real(), b = x.imag(), c = (T)y;                                              \
        right                                                                                      \
    }
template <class T> inline complex<T> sim_quotient(T a, T b, T c, T d) {
    if (fabs(c) >= fabs(d)) {  // Smith's method, which does not overflow on the way
        const T ratio = d / c, whole = c + d * ratio;
        return {(a + b * ratio) / whole, (b - a * ratio) / whole};
    }
    const T ratio = c / d, whole = c * ratio + d;
    return {(a * ratio + b) / whole, (b * ratio - a) / whole};
}
#define SIM_RETURN(re, im) return {re, im};
SIM_COMPLEX(+, SIM_RETURN(a + c, b + d), SIM_RETURN(a + c, b), SIM_RETURN(c + a, b))
SIM_COMPLEX(-, SIM_RETURN(a - c, b - d), SIM_RETURN(a - c, b), SIM_RETURN(c - a, -b))
SIM_COMPLEX(*, SIM_RETURN(a * c - b * d, a * d + b * c), SIM_RETURN(a * c, b * c), SIM_RETURN(a * c, b * c))
SIM_COMPLEX(/, return sim_quotient<T>(a, b, c, d);, SIM_RETURN(a / c, b / c), return sim_quotient<T>(c, 0, a, b);)
#undef SIM_COMPLEX

#define SIM_COMPARE(op, combine)                                                                 \
    template <class A, class B> inline bool operator op(const complex<A>& x, const complex<B>& y) { \
        return x.real() op y.real() combine x.imag() op y.imag();                                \
    }                                                                                            \
    template <class A, class B, SIM_REAL(B)>                                                     \
    inline bool operator op(const complex<A>& x, const B& y) { return x.real() op y combine x.imag() op 0; } \
    template <class A, class B, SIM_REAL(B)>                                                     \
    inline bool operator op(const B& y, const complex<A>& x) { return x op y; }
SIM_COMPARE(==, &&)
SIM_COMPARE(!=, ||)
#undef SIM_COMPARE
// Ordered as CuPy orders: by the real part, then by the imaginary one.
#define SIM_ORDER(op)                                                                             \
    template <class T> inline bool operator op(const complex<T>& x, const complex<T>& y) {        \
        return x.real() == y.real() ? x.imag() op y.imag() : x.real() op y.real();                \
    }                                                                                             \
    template <class T> inline bool operator op(const complex<T>& x, const T& y) { return x op complex<T>(y); } \
    template <class T> inline bool operator op(const T& x, const complex<T>& y) { return complex<T>(x) op y; }
SIM_ORDER(<)
SIM_ORDER(<=)
SIM_ORDER(>)
SIM_ORDER(>=)
#undef SIM_ORDER

template <class T> inline complex<T> operator+(const complex<T>& x) { return x; }
template <class T> inline complex<T> operator-(const complex<T>& x) { return {-x.real(), -x.imag()}; }
template <class T> inline complex<T> conj(const complex<T>& x) { return {x.real(), -x.imag()}; }
template <class T> inline T abs(const complex<T>& x) { return hypot(x.real(), x.imag()); }
template <class T> inline T arg(const complex<T>& x) { return atan2(x.imag(), x.real()); }
template <class T> inline T norm(const complex<T>& x) { return x.real() * x.real() + x.imag() * x.imag(); }
template <class T> inline complex<T> polar(const T& radius, const T& angle = T()) {
    return {radius * cos(angle), radius * sin(angle)};
}
template <class T> inline bool isnan(const complex<T>& x) { return ::isnan(x.real()) || ::isnan(x.imag()); }
template <class T> inline bool isinf(const complex<T>& x) { return ::isinf(x.real()) || ::isinf(x.imag()); }
template <class T> inline bool isfinite(const complex<T>& x) { return ::isfinite(x.real()) && ::isfinite(x.imag()); }

#define SIM_NATIVE(T)                                    \
    inline __complex__ T sim_native(const complex<T>& x) { \
        __complex__ T z;                                 \
        __real__ z = x.real();                           \
        __imag__ z = x.imag();                           \
        return z;                                        \
    }
SIM_NATIVE(float)
SIM_NATIVE(double)
#undef SIM_NATIVE
template <class T, class N> inline complex<T> sim_foreign(N z) { return {__real__ z, __imag__ z}; }
#define SIM_FUNCTION(name)                                                                     \
    inline complex<double> name(const complex<double>& x) { return sim_foreign<double>(__builtin_c##name(sim_native(x))); } \
    inline complex<float> name(const complex<float>& x) { return sim_foreign<float>(__builtin_c##name##f(sim_native(x))); }
SIM_FUNCTION(exp) SIM_FUNCTION(log) SIM_FUNCTION(sqrt)
SIM_FUNCTION(sin) SIM_FUNCTION(cos) SIM_FUNCTION(tan)
SIM_FUNCTION(asin) SIM_FUNCTION(acos) SIM_FUNCTION(atan)
SIM_FUNCTION(sinh) SIM_FUNCTION(cosh) SIM_FUNCTION(tanh)
SIM_FUNCTION(asinh) SIM_FUNCTION(acosh) SIM_FUNCTION(atanh)
#undef SIM_FUNCTION
template <class T> inline complex<T> log10(const complex<T>& x) { return log(x) / log((T)10); }
template <class A, class B> inline sim_complex<A, B> pow(const complex<A>& x, const complex<B>& y) {
    typedef typename sim_wider<A, B>::type T;
    const __complex__ double z = __builtin_cpow(sim_native(complex<double>(x)), sim_native(complex<double>(y)));
    return {(T)__real__ z, (T)__imag__ z};
}
template <class A, class B, SIM_REAL(B)> inline sim_complex<A, B> pow(const complex<A>& x, const B& y) {
    return pow(x, sim_complex<A, B>((typename sim_wider<A, B>::type)y));
}
template <class A, class B, SIM_REAL(B)> inline sim_complex<A, B> pow(const B& x, const complex<A>& y) {
    return pow(sim_complex<A, B>((typename sim_wider<A, B>::type)x), y);
}
#undef SIM_REAL
#undef SIM_RETURN

}  // namespace thrust

using thrust::complex;
using thrust::conj;
using thrust::norm;
using thrust::polar;
using thrust::arg;
