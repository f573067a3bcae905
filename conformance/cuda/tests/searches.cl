// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binary searches as programs have them. Elements from `size` on are not there, and count as greater than all values.

#define LESS (at - begin < size && x[at] < value)
#define NOT_GREATER (at - begin < size && !(value < x[at]))

#define BOUND(NAME, GOES_ON)                                                                                               \
    kernel void NAME(global ulong *to, global const int *x, global const int *values, ulong begin, ulong count,            \
                     ulong size) {                                                                                         \
        int value = values[get_global_id(0)];                                                                              \
        ulong first = begin, n = count;                                                                                    \
        while (n > 0) {                                                                                                    \
            ulong half_of = n / 2, at = first + half_of;                                                                   \
            if (GOES_ON) {                                                                                                 \
                first = at + 1;                                                                                            \
                n -= half_of + 1;                                                                                          \
            } else {                                                                                                       \
                n = half_of;                                                                                               \
            }                                                                                                              \
        }                                                                                                                  \
        to[get_global_id(0)] = first;                                                                                      \
    }

BOUND(lower_bound, LESS)
BOUND(upper_bound, NOT_GREATER)

// A number is less than what is none, which is behind all numbers.
kernel void upper_bound_of_floats(global ulong *to, global const float *x, global const float *values, ulong begin,
                                  ulong count, ulong size) {
    float value = values[get_global_id(0)];
    bool is_none = isnan(value);
    ulong first = begin, n = count;
    while (n > 0) {
        ulong half_of = n / 2, at = first + half_of;
        bool is_behind = at - begin >= size;
        float element = is_behind ? NAN : x[at];
        if (!isnan(element)) {
            bool goes_on = is_none || !(value < element);
            first = goes_on ? at + 1 : first;
            n = goes_on ? n - (half_of + 1) : half_of;
        } else if (is_none && !is_behind) {
            first = at + 1;
            n -= half_of + 1;
        } else {
            n = half_of;
        }
    }
    to[get_global_id(0)] = first;
}

// A pointer to the first element, and a number that has a sign. `begin` is 0.
kernel void lower_bound_of_pointers(global ulong *to, global const int *x, global const int *values, ulong begin,
                                    ulong count, ulong size) {
    int value = values[get_global_id(0)];
    global const int *first = x;
    long n = count;
    while (n > 0) {
        long half_of = n / 2;
        global const int *at = first + half_of;
        if (at - x < (long)size && *at < value) {
            first = at + 1;
            n -= half_of + 1;
        } else {
            n = half_of;
        }
    }
    to[get_global_id(0)] = first - x;
}

// Without a branch: the last element of which it holds, or the first one.
kernel void last_less(global ulong *to, global const int *x, global const int *values, ulong begin, ulong count,
                      ulong size) {
    int value = values[get_global_id(0)];
    ulong first = begin, n = count;
    while (n > 1) {
        ulong half_of = n / 2, at = first + half_of;
        first = LESS ? at : first;
        n -= half_of;
    }
    to[get_global_id(0)] = first;
}

// The first iteration runs whatever the number is, 0 wraps around, and what was looked at is told.
kernel void at_least_once(global ulong *to, global const int *x, global const int *values, ulong begin, ulong count,
                          ulong size) {
    int value = values[get_global_id(0)];
    ulong first = begin, n = count, all = 0;
    do {
        ulong half_of = n / 2, at = first + half_of;
        bool goes_on = LESS;
        all = all * 3 + at;
        first = goes_on ? at + 1 : first;
        n = goes_on ? n - (half_of + 1) : half_of;
    } while (n != 0);
    to[get_global_id(0)] = all + first;
}
