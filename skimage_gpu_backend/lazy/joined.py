"""Functions of the whole image that are made of their chunks and what these tell each other."""

from .label import label

JOINED = {
    "skimage.measure:label": label,
}
