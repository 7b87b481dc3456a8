"""Folders of files that can be made again."""

import logging
import os
import time

from cuda_simulator import kept


def test_what_was_used_least_recently_goes_when_the_folder_is_full(tmp_path):
    folder = kept.Kept(tmp_path, 1000)
    for number in range(10):
        folder.store(f"{number}", bytes(90))
        os.utime(tmp_path / f"{number}", (0, 10 * 86400 * number))
    assert folder.load("0") == bytes(90)  # is in use now
    (tmp_path / "other").write_bytes(bytes(200))
    again = kept.Kept(tmp_path, 1000)
    again.store("new", bytes(90))
    left = {path.name for path in tmp_path.iterdir()}
    assert {"0", "new", "9", "other"} <= left
    assert not {"1", "2"} & left
    assert kept.nbytes(tmp_path) <= 750 + 90


def test_a_folder_is_looked_through_seldom(tmp_path, monkeypatch):
    looks = []
    monkeypatch.setattr(kept.Kept, "_prune", lambda self: looks.append(1))
    folder = kept.Kept(tmp_path, 1000)
    for number in range(130):
        folder.store(f"{number}", b"")
    assert len(looks) == 2


def test_files_that_do_not_match_stay(tmp_path):
    (tmp_path / "headers").mkdir()
    (tmp_path / "ab").mkdir()
    for file in ("headers/unit", "ab/old"):
        (tmp_path / file).write_bytes(bytes(900))
        os.utime(tmp_path / file, (0, 0))
    kept.Kept(tmp_path, 1000, "??/*").store("ab/new", bytes(500))
    assert [p.name for p in sorted(tmp_path.rglob("*")) if p.is_file()] == ["new", "unit"]


def test_a_folder_that_cannot_be_made_is_a_temporary_one_and_told_once(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    wanted = tmp_path / "file" / "folder"
    with caplog.at_level(logging.WARNING):
        first, second = kept.Kept(wanted, 1000), kept.Kept(wanted, 1000)
        first.store("name", b"data")
    assert second.load("name") == b"data"
    assert [str(wanted) in record.getMessage() for record in caplog.records] == [True]


def test_a_full_disk_is_no_error(tmp_path, monkeypatch):
    folder = kept.Kept(tmp_path, 1000)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    folder.store("name", b"data")
    assert folder.load("name") is None
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_use_is_noted_once_a_day(tmp_path):
    path = tmp_path / "name"
    path.write_bytes(b"")
    recent = time.time() - 3600
    os.utime(path, (recent, recent))
    kept.used(path)
    assert path.stat().st_mtime == recent
    os.utime(path, (0, 0))
    kept.used(path)
    assert path.stat().st_mtime > recent
