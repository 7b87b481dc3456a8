"""`cupyx` of the simulator: SciPy's values, on the device, as strict as CuPy."""

import cupy as cp
import cupyx.scipy.fft
import cupyx.scipy.ndimage as ndi
import cupyx.scipy.sparse as sparse
import numpy as np
import pytest
import scipy.fft
import scipy.ndimage
import scipy.sparse
from cupyx import rsqrt
from cupyx.scipy.sparse.linalg import cg, spsolve
from cupyx.scipy.spatial.distance import cdist
from cupyx.scipy.stats import entropy

import cuda_simulator
from cuda_simulator import counters

pytestmark = pytest.mark.skipif(not cuda_simulator.active(), reason="compares the simulator")
rng = np.random.default_rng(5)
IMAGE = rng.random((13, 17))
LABELS = rng.integers(0, 5, (13, 17))
MATRIX = scipy.sparse.random(9, 7, 0.4, "csr", random_state=3)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("gaussian_filter", {"sigma": 1.5, "truncate": 3}),
        ("gaussian_laplace", {"sigma": 2}),
        ("uniform_filter", {"size": 3, "mode": "mirror"}),
        ("median_filter", {"size": 3}),
        ("rotate", {"angle": 20, "reshape": False, "order": 1}),
        ("zoom", {"zoom": 1.7, "order": 3}),
        ("shift", {"shift": (1.2, -0.7)}),
        ("fourier_shift", {"shift": (1.2, -0.7)}),
        ("white_tophat", {"size": 3}),
        ("spline_filter", {}),
        ("laplace", {}),
    ],
)
def test_filters_are_scipys(name, arguments):
    result = getattr(ndi, name)(cp.asarray(IMAGE), **arguments)
    np.testing.assert_array_equal(result.get(), getattr(scipy.ndimage, name)(IMAGE, **arguments))


def test_a_host_array_is_refused_and_one_launch_is_counted():
    image = cp.asarray(IMAGE)
    with pytest.raises(TypeError, match="Unsupported type"):
        ndi.gaussian_filter(IMAGE, 1)
    with pytest.raises(TypeError, match="Unsupported type"):
        ndi.convolve(image, np.ones((3, 3)))
    with counters.counting() as counts:
        ndi.gaussian_filter(image, 1)
    assert counts.launches == 1
    assert counts.to_host == 0


def test_half_precision_is_filtered_in_single():
    image = IMAGE.astype(np.float16)
    result = ndi.gaussian_filter(cp.asarray(image), 1)
    expected = scipy.ndimage.gaussian_filter(image.astype(np.float32), 1)
    assert result.dtype == np.float16
    np.testing.assert_allclose(result.get(), expected, rtol=2e-3)


def test_output_is_filled_in_place():
    output = cp.zeros(IMAGE.shape, np.float32)
    assert ndi.uniform_filter(cp.asarray(IMAGE), 3, output=output) is output
    np.testing.assert_allclose(output.get(), scipy.ndimage.uniform_filter(IMAGE, 3), rtol=1e-6)


def test_structures_may_be_given_as_shapes():
    result = ndi.binary_erosion(cp.asarray(IMAGE > 0.2), (2, 2))
    expected = scipy.ndimage.binary_erosion(IMAGE > 0.2, np.ones((2, 2)))
    np.testing.assert_array_equal(result.get(), expected)


@pytest.mark.parametrize(
    "name", ["sum", "mean", "variance", "standard_deviation", "minimum", "maximum", "median"]
)
def test_measurements_per_label(name):
    index = np.array([3, 1, 4])
    expected = getattr(scipy.ndimage, name)(IMAGE, LABELS, index)
    result = getattr(ndi, name)(cp.asarray(IMAGE), cp.asarray(LABELS), cp.asarray(index))
    np.testing.assert_allclose(result.get(), expected, rtol=1e-13)
    whole = getattr(ndi, name)(cp.asarray(IMAGE))
    assert isinstance(whole, cp.ndarray) and whole.ndim == 0
    np.testing.assert_allclose(whole.get(), getattr(scipy.ndimage, name)(IMAGE), rtol=1e-13)


def test_positions_are_on_the_host_and_centres_on_the_device():
    image = cp.asarray(IMAGE)
    assert ndi.maximum_position(image) == scipy.ndimage.maximum_position(IMAGE)
    centre = ndi.center_of_mass(image)
    assert all(isinstance(c, cp.ndarray) and c.ndim == 0 for c in centre)
    np.testing.assert_allclose([float(c) for c in centre], scipy.ndimage.center_of_mass(IMAGE))


def test_labels_and_objects():
    labels, count = ndi.label(cp.asarray(IMAGE > 0.6))
    expected, expected_count = scipy.ndimage.label(IMAGE > 0.6)
    assert count == expected_count and labels.dtype == np.int32
    np.testing.assert_array_equal(labels.get(), expected)
    assert ndi.find_objects(labels) == scipy.ndimage.find_objects(expected)
    found = ndi.value_indices(labels)
    np.testing.assert_array_equal(found[2][0].get(), np.nonzero(expected == 2)[0])


def test_transforms_of_single_precision_stay_single():
    image = IMAGE.astype(np.float32)
    result = cupyx.scipy.fft.rfftn(cp.asarray(image))
    assert result.dtype == np.complex64
    np.testing.assert_array_equal(result.get(), scipy.fft.rfftn(image))
    with pytest.raises(TypeError, match="Unsupported type"):
        cupyx.scipy.fft.fft2(image)
    # cuFFT has no fast way for 11, which pocketfft has
    assert cupyx.scipy.fft.next_fast_len(11) == 12


def test_a_matrix_shares_its_values_with_its_parts():
    matrix = sparse.csr_matrix(cp.asarray(MATRIX.toarray()))
    matrix.data *= 2
    np.testing.assert_array_equal(matrix.toarray().get(), 2 * MATRIX.toarray())
    np.testing.assert_array_equal(matrix.indices.get(), MATRIX.indices)
    assert matrix.get().format == "csr"


@pytest.mark.parametrize("name", ["tocoo", "tocsc", "tocsr", "todia"])
def test_formats(name):
    matrix = getattr(sparse.csr_matrix(cp.asarray(MATRIX.toarray())), name)()
    assert matrix.format == name[2:]
    np.testing.assert_array_equal(matrix.toarray().get(), MATRIX.toarray())
    np.testing.assert_array_equal((-matrix).T.toarray().get(), -MATRIX.toarray().T)


def test_triples_that_occur_twice_are_added():
    data, row, column = (cp.asarray(x) for x in ([1.0, 2, 4], [0, 1, 1], [2, 0, 0]))
    matrix = sparse.coo_matrix((data, (row, column)), shape=(2, 3)).tocsr()
    np.testing.assert_array_equal(matrix.toarray().get(), [[0, 0, 1], [6, 0, 0]])
    assert matrix.sum(axis=1).shape == (2, 1)
    assert isinstance(matrix.sum(), cp.ndarray)


def test_products_and_selections_of_matrices():
    matrix = sparse.csr_matrix(cp.asarray(MATRIX.toarray()))
    vector = rng.random(7)
    np.testing.assert_allclose((matrix @ cp.asarray(vector)).get(), MATRIX @ vector)
    np.testing.assert_allclose((cp.asarray(vector) @ matrix.T).get(), vector @ MATRIX.T)
    np.testing.assert_allclose((matrix.T @ matrix).toarray().get(), (MATRIX.T @ MATRIX).toarray())
    chosen = matrix[cp.asarray([2, 5])][:, cp.asarray([0, 3])]
    np.testing.assert_array_equal(chosen.toarray().get(), MATRIX[[2, 5]][:, [0, 3]].toarray())
    with pytest.raises(TypeError):
        matrix @ vector


def test_matrices_of_integers_are_refused_as_in_cupy():
    with pytest.raises(ValueError, match="Only bool, float32"):
        sparse.csr_matrix(cp.asarray([[1, 2], [0, 3]]))


def test_solvers():
    dense = MATRIX.toarray()
    system = dense @ dense.T + np.eye(9)
    right = rng.random(9)
    matrix = sparse.csr_matrix(cp.asarray(system))
    solution, info = cg(matrix, cp.asarray(right), rtol=1e-12)
    assert info == 0
    np.testing.assert_allclose(solution.get(), np.linalg.solve(system, right))
    np.testing.assert_allclose(
        spsolve(matrix, cp.asarray(right)).get(), np.linalg.solve(system, right)
    )


def test_small_functions():
    x = cp.asarray([1, 4], np.float32)
    assert rsqrt(x).dtype == np.float32
    np.testing.assert_array_equal(rsqrt(x).get(), [1, 0.5])
    points = cp.asarray(IMAGE)
    np.testing.assert_allclose(
        cdist(points, points).get(), scipy.spatial.distance.cdist(IMAGE, IMAGE)
    )
    assert isinstance(entropy(points[0]), cp.ndarray)
