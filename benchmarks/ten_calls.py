"""Count and measure nuclei in a micrograph by ten calls of scikit-image.

``python ten_calls.py nuclei.tif`` prints what it finds; ``python ten_calls.py nuclei.tif 4096``
makes such an image of 4096 x 4096 pixels. The script knows nothing of backends.
"""

import sys

import numpy as np
from skimage import data, exposure, filters, io, measure, morphology, transform


def make(side):
    """Nuclei on uneven light, as photons are counted."""
    nuclei = data.binary_blobs(side, blob_size_fraction=32 / side, volume_fraction=0.2, rng=0)
    light = 1 - 0.3 * np.linspace(-1, 1, side) ** 2
    blurred = filters.gaussian(nuclei.astype(float), 1.5)
    return np.random.default_rng(0).poisson(light * (200 + 1500 * blurred)).astype(np.uint16)


def analyse(image):
    """Number of nuclei, their mean area and brightness, sharpness, and mean of the overview."""
    clean = filters.median(image, morphology.disk(1))
    scaled = exposure.rescale_intensity(clean, out_range=(0.0, 1.0))
    smooth = filters.gaussian(scaled, 2)
    edges = filters.sobel(smooth)
    nuclei = smooth > filters.threshold_otsu(smooth)
    nuclei = morphology.opening(nuclei, morphology.disk(3))
    nuclei = morphology.remove_small_objects(nuclei, max_size=50)
    labels = measure.label(nuclei)
    properties = ("label", "area", "centroid", "eccentricity", "intensity_mean")
    found = measure.regionprops_table(labels, scaled, properties=properties)
    overview = transform.resize(smooth, [n // 4 for n in image.shape], anti_aliasing=True)
    return (
        f"{len(found['label'])} nuclei of {found['area'].mean():.1f} pixels, brightness"
        f" {found['intensity_mean'].mean():.4f}, eccentricity {found['eccentricity'].mean():.4f},"
        f" edges {edges.max():.4f}, overview {overview.mean():.4f}"
    )


path, *side = sys.argv[1:]
if side:
    io.imsave(path, make(int(side[0])), check_contrast=False)
else:
    print(analyse(io.imread(path)))
