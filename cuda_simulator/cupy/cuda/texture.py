"""`cupy.cuda.texture`: what the simulator has not; whoever makes one is told."""

__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]


_MISSING = "the CUDA simulator has no textures"


class CUDAarray:
    """Memory laid out for textures."""

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        raise NotImplementedError(_MISSING)


class ChannelFormatDescriptor:
    """Bits and kind of the channels of a texture."""

    def __init__(self, x, y, z, w, f):
        raise NotImplementedError(_MISSING)


class ResourceDescriptor:
    """The memory of a texture."""

    def __init__(
        self,
        restype,
        cuArr=None,
        arr=None,
        chDesc=None,
        sizeInBytes=0,
        width=0,
        height=0,
        pitchInBytes=0,
    ):
        raise NotImplementedError(_MISSING)


class SurfaceObject:
    """A texture that kernels write."""

    def __init__(self, ResDesc):
        raise NotImplementedError(_MISSING)


class TextureDescriptor:
    """How a texture is read between elements and beyond its edges."""

    def __init__(
        self,
        addressModes=None,
        filterMode=0,
        readMode=0,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        raise NotImplementedError(_MISSING)


class TextureObject:
    """A texture that kernels read."""

    def __init__(self, ResDesc, TexDesc):
        raise NotImplementedError(_MISSING)
