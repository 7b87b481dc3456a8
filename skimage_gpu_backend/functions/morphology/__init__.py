"""skimage.morphology."""
