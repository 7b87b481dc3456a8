// The part of <type_traits>, <limits> and <utility> that CUDA sources for CuPy use, in
// namespace std. The host's own headers cost more time to read than a kernel to compile.
#pragma once
#include "../cstdint" // as libcu++'s do
#include "keywords.hpp"

namespace std {
using ::ptrdiff_t;
using ::size_t;

template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    constexpr operator T() const { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <bool b, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool b, class A, class B> using conditional_t = typename conditional<b, A, B>::type;
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;

template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_cv { typedef T type; };
template <class T> struct remove_cv<const T> { typedef T type; };
template <class T> struct remove_cv<volatile T> { typedef T type; };
template <class T> struct remove_cv<const volatile T> { typedef T type; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct decay { typedef decay_t<T> type; };

#define SIM_TRAIT(name, T) \
    template <> struct name<T> : true_type {}; \
    template <> struct name<const T> : true_type {};
template <class T> struct is_floating_point : false_type {};
SIM_TRAIT(is_floating_point, float)
SIM_TRAIT(is_floating_point, double)
template <class T> struct is_integral : false_type {};
SIM_TRAIT(is_integral, bool)
SIM_TRAIT(is_integral, char)
SIM_TRAIT(is_integral, signed char)
SIM_TRAIT(is_integral, unsigned char)
SIM_TRAIT(is_integral, short)
SIM_TRAIT(is_integral, unsigned short)
SIM_TRAIT(is_integral, int)
SIM_TRAIT(is_integral, unsigned)
SIM_TRAIT(is_integral, long)
SIM_TRAIT(is_integral, unsigned long)
SIM_TRAIT(is_integral, long long)
SIM_TRAIT(is_integral, unsigned long long)
#undef SIM_TRAIT
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct sim_is_signed : false_type {};
template <class T> struct sim_is_signed<T, true> : bool_constant<T(-1) < T(0)> {};
template <class T> struct is_signed : sim_is_signed<T> {};
template <class T> struct is_unsigned : bool_constant<is_arithmetic<T>::value && !sim_is_signed<T>::value> {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T*> : true_type {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;

template <class T> struct make_signed {};
template <class T> struct make_unsigned {};
#define SIM_SIGNS(S, U)                                        \
    template <> struct make_signed<S> { typedef S type; };     \
    template <> struct make_signed<U> { typedef S type; };     \
    template <> struct make_unsigned<S> { typedef U type; };   \
    template <> struct make_unsigned<U> { typedef U type; };
SIM_SIGNS(signed char, unsigned char)
SIM_SIGNS(short, unsigned short)
SIM_SIGNS(int, unsigned)
SIM_SIGNS(long, unsigned long)
SIM_SIGNS(long long, unsigned long long)
#undef SIM_SIGNS
template <> struct make_signed<char> { typedef signed char type; };
template <> struct make_unsigned<char> { typedef unsigned char type; };
template <class T> using make_signed_t = typename make_signed<T>::type;
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;

template <class T> T&& declval() noexcept;
template <class T> constexpr remove_reference_t<T>&& move(T&& v) noexcept {
    return static_cast<remove_reference_t<T>&&>(v);
}
template <class T> constexpr T&& forward(remove_reference_t<T>& v) noexcept { return static_cast<T&&>(v); }
template <class A, class B> struct pair {
    A first;
    B second;
};
template <class A, class B> constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }

template <class T> struct numeric_limits {
    static constexpr bool is_specialized = is_integral<T>::value, is_integer = is_specialized;
    static constexpr bool is_signed = sim_is_signed<T>::value, has_infinity = false, has_quiet_NaN = false;
    static constexpr int digits = sizeof(T) * 8 - is_signed;
    static constexpr T max() {
        return is_signed ? (T)(((unsigned long long)1 << (sizeof(T) * 8 - 1)) - 1) : (T)~(T)0;
    }
    static constexpr T min() { return is_signed ? (T)(-max() - 1) : (T)0; }
    static constexpr T lowest() { return min(); }
};
template <> constexpr bool numeric_limits<bool>::max() { return true; }
#define SIM_LIMITS(T, prefix, suffix)                                                            \
    template <> struct numeric_limits<T> {                                                       \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true;       \
        static constexpr bool has_infinity = true, has_quiet_NaN = true;                         \
        static constexpr int digits = prefix##_MANT_DIG__;                                       \
        static constexpr T max() { return prefix##_MAX__; }                                      \
        static constexpr T min() { return prefix##_MIN__; }                                      \
        static constexpr T lowest() { return -prefix##_MAX__; }                                  \
        static constexpr T epsilon() { return prefix##_EPSILON__; }                              \
        static constexpr T infinity() { return __builtin_huge_val##suffix(); }                   \
        static constexpr T quiet_NaN() { return __builtin_nan##suffix(""); }                     \
    };
SIM_LIMITS(float, __FLT, f)
SIM_LIMITS(double, __DBL, )
#undef SIM_LIMITS
}  // namespace std
