"""Functions of skimage2 that differ from those of the same name in skimage."""
