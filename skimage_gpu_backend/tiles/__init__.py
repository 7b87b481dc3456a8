"""Images in tiles: those that are larger than the device, and those that cross the bus in pieces.

A plan says how far its function looks; ``plan`` cuts; ``run`` sends the tiles through the plan of a
tile and puts the results together; ``memory`` knows what is free. Nothing here knows an algorithm.
"""
