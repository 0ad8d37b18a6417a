"""The slicer reads STL files, and says what is wrong with those that it cannot use."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest

from demo.slicer import stl
from demo.slicer.stl import ModelError, box
from tests.demo.shapes import sphere, tube

CUBE = box((20, 20, 20))


def same(one: stl.Mesh, other: stl.Mesh) -> bool:
    return np.allclose(one.triangles, other.triangles, atol=1e-4)


@pytest.mark.parametrize("write", [stl.binary, stl.text])
@pytest.mark.parametrize("model", [CUBE, sphere(9), tube(10, 5, 3)], ids=["cube", "sphere", "tube"])
def test_a_written_model_is_read_again(write, model):
    read = stl.parse(write(model))
    assert same(read, model)
    assert read.volume == pytest.approx(model.volume, rel=1e-5)


def test_corners_that_triangles_share_are_one():
    assert len(stl.parse(stl.binary(CUBE)).vertices) == 8


def test_a_binary_file_may_begin_with_solid():
    assert same(stl.parse(stl.binary(CUBE, "solid as a rock")), CUBE)


def test_a_binary_file_that_begins_with_solid_and_is_cut_off_is_reported_as_such():
    with pytest.raises(ModelError, match="announces 12 facets and ends after 10"):
        stl.parse(stl.binary(CUBE, "solid" + "\0" * 60)[:-100])


def test_what_follows_the_facets_is_left_alone():
    assert same(stl.parse(stl.binary(CUBE) + b"colours of some program"), CUBE)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.upper(),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"\n\n  " + data,
        lambda data: re.sub(rb"\n\s*(?!endsolid)", b" ", data).replace(b"solid model ", b"solid model\n"),
        lambda data: data.replace(b"solid model", b"solid facet of endfacet"),
        lambda data: data.replace(b"solid model", b"solid"),
    ],
    ids=["upper case", "crlf", "cr", "bom", "space before", "one line", "title of facets", "no title"],
)  # fmt: skip
def test_text_is_read_however_it_is_laid_out(change):
    assert same(stl.parse(change(stl.text(CUBE))), CUBE)


def test_several_solids_in_one_text_file_are_one_model():
    both = stl.parse(stl.text(CUBE) + stl.text(box((5, 5, 5), (30, 0, 0)), "other"))
    assert both.volume == pytest.approx(8000 + 125)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\n \0", "is empty"),
        (b"solid nothing\nendsolid nothing\n", "no facets"),
        (b" " * 80 + bytes(4), "is empty"),
        (b"x" * 80 + bytes(4), "no facets"),
        (b"PK\x03\x04 not a model", "is not an STL file: 16 bytes are too few"),
        (stl.binary(CUBE)[:-1], "announces 12 facets and ends after 11 and 49 bytes"),
        (stl.binary(CUBE)[:300], "announces 12 facets and ends after 4 and 16 bytes"),
        (b"x" * 80 + b"\xff\xff\xff\xff" + bytes(50), "announces 4294967295 facets and ends after 1"),
        (stl.text(CUBE)[:-15], "without 'endsolid'"),
        (stl.text(CUBE)[:900], "a facet is incomplete, after 6 good ones"),
        (stl.text(CUBE).replace(b"20.0", b"twenty", 1), "could not convert string to float"),
        (stl.text(CUBE).replace(b"20.0", b"nan", 1), "facet 1 of 12 has a coordinate that is not a number"),
        (stl.text(CUBE).replace(b"20.0", b"1e999", 1), "facet 1 of 12 has a coordinate that is not a number"),
        (stl.text(CUBE).replace(b"vertex", b"vortex", 1), "a facet is incomplete, after 0 good ones"),
        (stl.text(CUBE).replace(b"endloop", b"vertex 1 2 3 endloop", 1), "a facet is incomplete, after 0"),
        (stl.text(CUBE).replace(b"20.0", b"0.0"), "none of its 12 facets has an area"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(data, problem):
    with pytest.raises(ModelError, match=re.escape(problem)):
        stl.parse(data)


def test_a_binary_coordinate_that_is_not_a_number_is_reported():
    data = bytearray(stl.binary(CUBE))
    data[84 + 50 * 2 + 12 : 84 + 50 * 2 + 16] = np.float32(np.nan).tobytes()
    with pytest.raises(ModelError, match="facet 3 of 12"):
        stl.parse(bytes(data))


def test_triangles_without_an_area_are_left_out():
    flat = np.concatenate([CUBE.triangles, [[[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[3, 3, 3]] * 3]])
    assert same(stl.mesh(flat), CUBE)


def test_an_error_names_the_file(tmp_path):
    broken = tmp_path / "broken.stl"
    broken.write_bytes(stl.binary(CUBE)[:200])
    with pytest.raises(ModelError, match=r"^'broken.stl' is broken"):
        stl.load(broken)
    with pytest.raises(ModelError, match=r"cannot read .*No such file"):
        stl.load(tmp_path / "missing.stl")
    with pytest.raises(ModelError, match=r"cannot read .*directory"):
        stl.load(tmp_path)


def test_no_bytes_make_the_reader_fail_otherwise():
    random = np.random.default_rng(4)
    whole = {"binary": stl.binary(CUBE), "text": stl.text(CUBE)}
    for data in whole.values():
        for _ in range(150):
            changed = bytearray(data[: random.integers(1, len(data) + 1)])
            for at in random.integers(0, len(changed), random.integers(0, 5)):
                changed[at] = random.integers(0, 256)
            with contextlib.suppress(ModelError):
                assert np.isfinite(stl.parse(bytes(changed)).vertices).all()
