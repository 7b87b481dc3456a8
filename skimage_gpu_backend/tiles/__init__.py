"""Images in tiles: those that are larger than the device, and those that cross the bus in pieces.

``reach/`` says how far each op looks; ``plan`` cuts; ``run`` sends the tiles through an op and puts
the results together; ``pinned`` has the buffers through which arrays cross the bus; ``memory``
knows what is free. Nothing here knows an algorithm.
"""

# Bytes of a call's images from which it runs in tiles whose copies and kernels overlap. Two
# pieces of `pinned.PIECE`: with fewer there is nothing that could overlap.
LARGE = 64 << 20
