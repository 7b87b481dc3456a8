"""Sizes of Fourier transforms, which are CuPy's."""


def fast_length(length) -> int:
    """The next length that cuFFT is quick at, as cupyx.scipy.fft.next_fast_len finds it."""
    while 210**64 % length:  # until it is a product of 2, 3, 5 and 7
        length += 1
    return length
