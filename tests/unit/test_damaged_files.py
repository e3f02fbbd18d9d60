"""Files that are damaged, cut short or in another encoding: an error in words, or the work done again."""

import io
import random
import zipfile

import numpy as np
import pytest

import vincolo as vc
from vincolo.errors import VincoloError, VincoloWarning
from vincolo.tolerance.study import _Store
from vincolo.tolerance.subject import Evaluated
from vincolo.vehicle.roads import read_road
from vincolo.vehicle.tracks import Track


def pendulum():
    m = vc.Model("pendulum")
    bob = m.body("bob", 1.0, 0.1, at=(1, 0, 0))
    m.revolute("O", m.ground, bob, at=(0, 0, 0), axis="y")
    return m


def damaged(data, seed):
    """An archive cut short, with other bits, or whole but with damaged or missing members."""
    rng = random.Random(seed)
    whole = bytearray(data)
    if seed % 4 == 0:
        return bytes(whole[:rng.randrange(len(whole))])
    if seed % 4 == 1:
        whole[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        return bytes(whole)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    member = bytearray(parts[name])
    for _ in range(rng.choice((1, 1, 5))):
        member[rng.randrange(len(member))] = rng.randrange(32, 127)
    parts[name] = bytes(member) if rng.random() < 0.8 else bytes(member[:rng.randrange(len(member))])
    if rng.random() < 0.1:
        del parts[name]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for key, content in parts.items():
            archive.writestr(key, content)
    return made.getvalue()


@pytest.mark.parametrize("kind", ["result", "state"])
def test_damaged_archives_are_refused_in_words(kind, tmp_path):
    """400 kinds of damage: each is read, or refused with an error of vincolo that names the file."""
    model, path = pendulum(), tmp_path / "saved.npz"
    result = vc.simulate(model, 0.1, outputs=5)
    (result if kind == "result" else result.state()).save(path)
    data, refused = path.read_bytes(), 0
    for seed in range(400):
        path.write_bytes(damaged(data, seed))
        try:
            read = vc.Result.load(path, model) if kind == "result" else vc.State.load(path, model)
            assert str(read)
        except VincoloError as error:
            assert "saved.npz" in str(error)
            refused += 1
    assert refused > 200


@pytest.mark.filterwarnings("ignore:.*is damaged")
def test_damaged_blocks_of_tolerances_are_evaluated_again(tmp_path):
    blocks = _Store.__new__(_Store)
    blocks.folder = tmp_path
    kept = Evaluated(np.ones((3, 2, 1)), ["", "", ""])
    blocks.write(0, kept)
    path = next(tmp_path.glob("*.npz"))
    data = path.read_bytes()
    assert blocks.read(0, 3).reasons == ["", "", ""]
    again = 0
    for seed in range(200):
        path.write_bytes(damaged(data, seed))
        again += blocks.read(0, 3) is None
    assert again > 50
    path.write_bytes(b"no archive")
    with pytest.warns(VincoloWarning, match="is damaged; its samples are evaluated again"):
        assert blocks.read(0, 3) is None


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-8-sig", "cp1252"])
def test_roads_and_tracks_are_read_in_any_encoding(encoding, tmp_path):
    path = tmp_path / "road.csv"
    head = "Weg [m], H\N{LATIN SMALL LETTER O WITH DIAERESIS}he [m]"
    path.write_bytes(f"{head}\n0,0\n1,0.01\n2,0\n3,0\n".encode(encoding))
    assert read_road(path)(1.0) == pytest.approx(0.01)
    path.write_bytes(f"{head}\n0,0\n10,0\n10,10\n0,10\n".encode(encoding))
    assert float(Track.read(path).along[-1]) == pytest.approx(40.0)


def test_a_table_with_signs_of_another_encoding_among_its_numbers_is_refused(tmp_path):
    path = tmp_path / "road.csv"
    path.write_bytes(b"x, z\n0,0\n1,\xb5\n2,0\n")
    with pytest.raises(vc.ModelError, match=r"road.csv: it is not a table of numbers x, z"):
        read_road(path)
