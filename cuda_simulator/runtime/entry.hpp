// From a kernel to an entry of the module's table: a template on the kernel itself,
// which can therefore be inlined, unpacks its arguments and describes its parameters.
#pragma once
#include "thread.hpp"

namespace sim {

template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };

template <class T> struct Traits {
    static constexpr unsigned char kind = __is_class(T) || __is_union(T) ? 's' : __is_enum(T) ? 'i'
        : Same<T, bool>::value ? 'b' : T(0.5) != T(0) ? 'f' : 'i';
    static constexpr unsigned size = sizeof(T);
};
template <class T> struct Class {
    static constexpr unsigned char kind = 's';
    static constexpr unsigned size = sizeof(T);
};
template <bool is_class, class T> struct Choose : Traits<T> {};
template <class T> struct Choose<true, T> : Class<T> {};
template <class T> struct Value : Choose<__is_class(T) || __is_union(T), T> {};
template <class T> struct Value<const T> : Value<T> {};
template <class T> struct Value<T*> { static constexpr unsigned char kind = 'i'; static constexpr unsigned size = sizeof(T*); };
template <> struct Value<void> { static constexpr unsigned char kind = 'v'; static constexpr unsigned size = 0; };

template <class T> struct Parameter {
    static constexpr SimParameter describe(unsigned offset) { return {Value<T>::kind, 0, sizeof(T), offset, 0}; }
};
template <class T> struct Parameter<T*> {
    static constexpr SimParameter describe(unsigned offset) { return {'w', Value<T>::kind, sizeof(T*), offset, Value<T>::size}; }
};
template <class T> struct Parameter<const T*> {
    static constexpr SimParameter describe(unsigned offset) { return {'r', Value<T>::kind, sizeof(T*), offset, Value<T>::size}; }
};

template <unsigned... I> struct Sequence {};
#ifdef __clang__
template <class T, T... I> struct MakeSequence { using type = Sequence<I...>; };
template <unsigned n> using Indices = typename __make_integer_seq<MakeSequence, unsigned, n>::type;
#else
template <unsigned n> using Indices = Sequence<__integer_pack(n)...>;
#endif

template <class T> inline T argument(const char* place) {
    T value;
    __builtin_memcpy((void*)&value, place, sizeof(T));
    return value;
}

template <auto kernel> struct Entry;
template <class... A, void (*kernel)(A...)> struct Entry<kernel> {
    static constexpr unsigned count = sizeof...(A);
    struct Layout {
        unsigned offset[count + 1] = {};
        SimParameter parameters[count + 1] = {};
        unsigned size = 0;
        constexpr Layout() {
            const unsigned sizes[] = {sizeof(A)..., 0};
            const unsigned aligns[] = {alignof(A)..., 0};
            for (unsigned i = 0; i < count; ++i) {
                const unsigned align = aligns[i] > 8 ? aligns[i] : 8;
                offset[i] = (size + align - 1) / align * align;
                size = offset[i] + sizes[i];
            }
            unsigned i = 0;
            ((parameters[i] = Parameter<A>::describe(offset[i]), ++i), ...);
        }
    };
    static constexpr Layout layout{};

    template <unsigned... I> static inline __attribute__((always_inline)) void call(const char* arguments, Sequence<I...>) {
        kernel(argument<A>(arguments + layout.offset[I])...);
    }

#ifdef SIM_FLAT
    static void blocks(const char* arguments, SimIndex grid, char* dynamic_shared, unsigned shared_bytes,
                       unsigned long long begin, unsigned long long end) {
        gridDim = grid;
        sim_shared = dynamic_shared;
        sim_shared_bytes = shared_bytes;
        if (!sim_storage) sim_api->thread_storage(&sim_api, &sim_storage, &sim_storage_bytes);
        for (unsigned long long b = begin; b < end; ++b) {
            const unsigned long long row = b / grid.x;
            blockIdx.x = (unsigned)(b - row * grid.x);
            blockIdx.y = (unsigned)(row % grid.y);
            blockIdx.z = (unsigned)(row / grid.y);
            call(arguments, Indices<count>{});
        }
    }
    static constexpr SimEntry describe(const char* name) {
        return {name, count, layout.size, layout.parameters, blocks, nullptr, nullptr, &sim_watched};
    }
#else
    static void thread(const char* arguments, SimThread* self) {
        SimCurrent current(self);
        call(arguments, Indices<count>{});
    }
    static constexpr SimEntry describe(const char* name) {
        return {name, count, layout.size, layout.parameters, nullptr, thread, sim_touch, &sim_watched};
    }
#endif
};

}  // namespace sim
