"""Areas of meshes are scikit-image's to the last bit."""

import numpy as np
import pytest
from skimage.measure import marching_cubes, mesh_surface_area

from skimage_gpu_backend.trouble import Declined

RNG = np.random.default_rng(43)
VERTICES = RNG.normal(size=(300, 3))
COUNTS = 1, 7, 8, 9, 127, 128, 129, 1000, 4096, 20_000


def same(run, vertices, faces):
    with np.errstate(all="ignore"):
        expected = mesh_surface_area(vertices, faces)
    result = run(mesh_surface_area, vertices, faces)
    assert type(result) is type(expected)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_faces_and_type_of_their_numbers(gpu_of_each_kind, dtype):
    vertices = VERTICES.astype(dtype)
    for count in COUNTS:
        faces = RNG.integers(-300, 300, (count, 3))
        same(gpu_of_each_kind, vertices, faces)
    for number in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        same(gpu_of_each_kind, vertices, RNG.integers(0, 100, (50, 3)).astype(number))


def test_any_layout(gpu_of_each_kind):
    faces = RNG.integers(0, 300, (500, 5))
    for each in (faces, faces[::-2, ::-1], np.asfortranarray(faces)):
        same(gpu_of_each_kind, np.asfortranarray(VERTICES), each)
        same(gpu_of_each_kind, VERTICES[::-1, ::-1], each)


def test_the_mesh_of_marching_cubes(gpu_of_each_kind):
    y, x, z = np.mgrid[-1:1:20j, -1:1:21j, -1:1:22j]
    for spacing in ((1, 1, 1), (0.5, 1, 3)):
        vertices, faces, *_ = marching_cubes(x * x + y * y + z * z, 0.7, spacing=spacing)
        same(gpu_of_each_kind, vertices, faces)


def test_coordinates_that_are_not_finite_or_too_large(gpu):
    faces = RNG.integers(0, 300, (50, 3))
    for value in (np.nan, np.inf, 1e200, 1e-200):
        vertices = VERTICES.copy()
        vertices[7] = value
        same(gpu, vertices, faces)


def test_what_is_left_to_scikit_image(gpu):
    faces = RNG.integers(0, 300, (50, 3))
    assert "verts" in gpu.declined(mesh_surface_area, VERTICES.astype(int), faces)
    assert "verts" in gpu.declined(mesh_surface_area, VERTICES[:, :2], faces)
    assert "faces" in gpu.declined(mesh_surface_area, VERTICES, faces[:0])
    assert "faces" in gpu.declined(mesh_surface_area, VERTICES, faces > 3)
    with pytest.raises(Declined, match="no vertex"):
        gpu(mesh_surface_area, VERTICES, faces + 290)
    beyond = np.pad(faces, ((0, 0), (0, 1)), constant_values=300)  # whose fourth number is none
    with pytest.raises(Declined, match="no vertex"):
        gpu(mesh_surface_area, VERTICES, beyond)


def test_one_launch_reads_faces_once(gpu, counting):
    faces = RNG.integers(0, 300, (5000, 3))
    gpu(mesh_surface_area, VERTICES, faces)
    with counting() as counts:
        gpu(mesh_surface_area, VERTICES, faces)
    assert counts.launches == 1
    assert counts.kernel_bytes_read <= 2 * (faces.nbytes + VERTICES.nbytes) + 4096
