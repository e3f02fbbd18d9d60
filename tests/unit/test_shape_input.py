"""Shapes of bodies: closed surfaces and their files, and what is refused."""

import sys
import types
import zipfile
from itertools import product

import numpy as np
import pytest

from mass_properties import RHO, random_part, same
from mechanisms import rotation
from vincolo.errors import ModelError
from vincolo.model import shapes as vs
from vincolo.model.body import make_body
from vincolo.model.shapes import MassProperties

NAN, INF = float("nan"), float("inf")


# closed surfaces


CUBE = np.array(list(product((0, 1), repeat=3)), dtype=float)
CUBE_FACES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
                       (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)])


def test_surface_of_a_box():
    size = np.array([0.2, 0.3, 0.5])
    expected = vs.box(size, density=RHO).moved(size / 2)
    assert same(vs.polyhedron(CUBE * size, CUBE_FACES, density=RHO), expected)
    inside_out = CUBE_FACES[:, ::-1]
    assert same(vs.polyhedron(CUBE * size, inside_out, density=RHO), expected)
    soup = (CUBE * size)[CUBE_FACES].reshape(-1, 3)  # as in STL files, each triangle with its own corners
    soup[::2][soup[::2] == 0] = -0.0
    assert same(vs.polyhedron(soup, np.arange(36).reshape(-1, 3), density=RHO), expected)


def test_surface_of_a_tetrahedron():
    """Integrals over the corner tetrahedron: mass rho/6, centre 1/4, x^2: 1/60 rho, x y: 1/120 rho."""
    corner = vs.polyhedron([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
                           density=6.0)
    assert corner.mass == pytest.approx(1.0) and corner.com == pytest.approx([0.25] * 3)
    assert corner.about((0, 0, 0)) == pytest.approx(0.25 * np.eye(3) - 0.05, abs=1e-15)


def test_a_cavity_is_wound_the_other_way_round():
    outer, inner = CUBE - 0.5, 0.5 * (CUBE - 0.5)
    hollow = vs.polyhedron(np.vstack([outer, inner]), np.vstack([CUBE_FACES, CUBE_FACES[:, ::-1] + 8]), density=RHO)
    assert same(hollow, vs.box((1, 1, 1), density=RHO) - vs.box((0.5, 0.5, 0.5), density=RHO))


def test_parts_that_touch_at_an_edge_are_closed():
    two = np.vstack([CUBE, CUBE + (1, 1, 0)])
    both = vs.polyhedron(two, np.vstack([CUBE_FACES, CUBE_FACES + 8]), density=RHO)
    one = vs.polyhedron(CUBE, CUBE_FACES, density=RHO)
    assert same(both, one + one.moved((1, 1, 0)))


def test_a_mesh_with_an_open_edge_or_a_turned_face_is_refused():
    with pytest.raises(ModelError, match="(?s)not watertight, 3 of its edges are open.*Close the holes"):
        vs.polyhedron(CUBE, CUBE_FACES[1:], density=RHO)
    turned = CUBE_FACES.copy()
    turned[4] = turned[4, ::-1]
    with pytest.raises(ModelError, match="(?s)not all wound the same way, at 3 edges.*normals"):
        vs.polyhedron(CUBE, turned, density=RHO)


@pytest.fixture
def reader(monkeypatch):
    """A stand-in for trimesh that gives the triangles of a cube for any file."""
    module = types.ModuleType("trimesh")

    def load(path, force, process):
        if path.endswith(".txt"):
            raise ValueError("file_type 'txt' not supported")
        faces = CUBE_FACES[1:] if path.endswith("open.stl") else CUBE_FACES
        return types.SimpleNamespace(vertices=CUBE[faces].reshape(-1, 3),
                                     faces=np.arange(3 * len(faces)).reshape(-1, 3))

    module.load = load
    monkeypatch.setitem(sys.modules, "trimesh", module)


def test_mesh_files_in_their_own_unit(reader, tmp_path):
    file = tmp_path / "cube.stl"
    file.touch()
    assert same(vs.mesh(file, scale=0.001, density=RHO), vs.box([0.001] * 3, density=RHO).moved([0.0005] * 3))
    assert vs.mesh(str(file), mass=2.0).mass == 2.0


def test_mesh_files_that_cannot_be_used(reader, tmp_path):
    for name in ("open.stl", "notes.txt"):
        (tmp_path / name).touch()
    with pytest.raises(ModelError, match="(?s)open.stl.*not watertight"):
        vs.mesh(tmp_path / "open.stl", density=RHO)
    with pytest.raises(ModelError, match="(?s)notes.txt.*cannot be read .*'txt' not supported.*ending"):
        vs.mesh(tmp_path / "notes.txt", density=RHO)
    with pytest.raises(ModelError, match="missing.stl.*no such file"):
        vs.mesh(tmp_path / "missing.stl", density=RHO)
    with pytest.raises(ModelError, match="scale is 0; it must be positive"):
        vs.mesh(tmp_path / "open.stl", scale=0, density=RHO)


def test_without_trimesh_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    (tmp_path / "cube.stl").touch()
    with pytest.raises(ModelError, match=r"(?s)trimesh.*not installed.*pip install trimesh"):
        vs.mesh(tmp_path / "cube.stl", density=RHO)


@pytest.mark.parametrize("ending", ["stl", "obj"])
def test_files_written_by_trimesh(ending, tmp_path):
    """Binary STL keeps 24 bits, OBJ 8 decimals: 1e-6 of the size is left."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box(extents=(0.2, 0.3, 0.5)).export(tmp_path / f"box.{ending}")
    assert same(vs.mesh(tmp_path / f"box.{ending}", density=RHO), vs.box((0.2, 0.3, 0.5), density=RHO), 1e-6)
    made = trimesh.creation.cylinder(radius=0.2, height=0.7, sections=64)
    made.density = RHO
    made.export(tmp_path / f"cylinder.{ending}")
    read = vs.mesh(tmp_path / f"cylinder.{ending}", density=RHO)
    assert same(read, MassProperties(made.mass, made.center_mass, made.moment_inertia), 1e-6)
    # a circle of 64 corners: area and inertia are short by terms of (2 pi / 64)^2, below 1 per cent
    assert same(read, vs.cylinder(0.2, 0.7, density=RHO), 1e-2)


# bodies


def body(mass, inertia=None, com=None, **placed):
    return make_body("crank", mass, inertia, placed.get("at", (0, 0, 0)), placed.get("orientation"), com, (0, 0, 0),
                     (0, 0, 0))


def test_a_body_takes_mass_centre_and_inertia_from_a_shape(rng):
    shape = random_part(rng)
    made = body(shape, at=(1, 2, 3), orientation=rotation(rng))
    assert made.mass == shape.mass and made.com == pytest.approx(shape.com)
    assert made.inertia == pytest.approx(shape.inertia) and made.at.tolist() == [1, 2, 3]
    plain = body(2.0)
    assert plain.com.tolist() == [0, 0, 0] and plain.inertia == pytest.approx(np.zeros((3, 3)))


@pytest.mark.parametrize("given", [{"inertia": 1.0}, {"inertia": 0.0}, {"com": (0, 0, 0)}])
def test_a_shape_and_its_own_numbers_are_refused_together(given):
    with pytest.raises(ModelError, match=f"(?s)body 'crank': {next(iter(given))}= is given besides a shape.*Leave out"):
        body(vs.sphere(1, mass=1), **given)


# what is refused


MAKERS = {
    "box": lambda s, **k: vs.box((s, 1, 1), **k),
    "sphere": vs.sphere,
    "ellipsoid": lambda s, **k: vs.ellipsoid((1, 1, s), **k),
    "cylinder": lambda s, **k: vs.cylinder(s, 1, **k),
    "cylinder length": lambda s, **k: vs.cylinder(1, s, **k),
    "tube": lambda s, **k: vs.tube(1, s, 1, **k),
    "cone": lambda s, **k: vs.cone(s, 1, **k),
    "cone height": lambda s, **k: vs.cone(1, s, **k),
    "frustum": lambda s, **k: vs.frustum(1, s, 1, **k),
    "extrusion": lambda s, **k: vs.extrusion([(0, 0), (1, 0), (0, 1)], s, **k),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("size", [0, 0.0, -1, NAN, INF, "1", None, True, [1]])
def test_sizes_that_are_none_are_refused(name, size):
    with pytest.raises(ModelError, match=f"(?s){name.split()[0]}: .*(in metres|finite number)"):
        MAKERS[name](size, density=1.0)


ALL = {**{name: lambda m=m, **k: m(0.5, **k) for name, m in MAKERS.items()},
       "rod": lambda **k: vs.rod(1, **({"area": 1e-4} if "density" in k else {}), **k),
       "plate": lambda **k: vs.plate((1, 1), **({"thickness": 1e-3} if "density" in k else {}), **k),
       "polyhedron": lambda **k: vs.polyhedron(CUBE, CUBE_FACES, **k)}


@pytest.mark.parametrize("name", ALL)
def test_exactly_one_of_density_and_mass(name):
    with pytest.raises(ModelError, match="(?s)both density= and mass= are given.*exactly one.*kg/m3"):
        ALL[name](density=1.0, mass=1.0)
    with pytest.raises(ModelError, match="(?s)neither density= nor mass= is given.*exactly one"):
        ALL[name]()
    for wrong in (0, -7850, NAN, INF, "steel", [1], True):
        with pytest.raises(ModelError, match="(?s)density.*(must be positive|finite number)"):
            ALL[name](density=wrong)
        with pytest.raises(ModelError, match="(?s)mass.*(must be positive|finite number)"):
            ALL[name](mass=wrong)
    assert ALL[name](mass=2).mass == 2 and ALL[name](density=2.0).mass > 0


SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


@pytest.mark.parametrize("call, message", [
    (lambda: vs.box((1, 2), mass=1), "size is \\(1, 2\\); 3 lengths in metres"),
    (lambda: vs.box(1.0, mass=1), "3 lengths"),
    (lambda: vs.box("xyz", mass=1), "3 lengths"),
    (lambda: vs.tube(1, 1, 1, mass=1), "inner_radius 1 m is not smaller.*outer radius comes first"),
    (lambda: vs.tube(1, 2, 1, mass=1), "not smaller"),
    (lambda: vs.cylinder(1, 1, "q", mass=1), "cylinder: axis is 'q'"),
    (lambda: vs.cylinder(1, 1, (0, 0, 0), mass=1), "cylinder: axis.*points nowhere"),
    (lambda: vs.plate((1, 1), "q", mass=1), "plate: normal is 'q'"),
    (lambda: vs.rod(1, density=7850), "density= and area= belong together.*mass= alone"),
    (lambda: vs.rod(1, mass=1, area=1e-4), "density= and area= belong together"),
    (lambda: vs.plate((1, 1), density=7850), "density= and thickness= belong together"),
    (lambda: vs.rod(1, density=1, area=-1), "area is -1"),
    (lambda: vs.box([1e-150] * 3, density=1e-300), "mass is 0 kg.*volume.*m, not mm"),
    (lambda: vs.sphere(1e200, density=1), "mass is inf kg"),
    (lambda: vs.sphere(1e200, mass=1), "finite numbers"),
    (lambda: vs.point_mass(-1), "mass is -1 kg"),
    (lambda: vs.extrusion([(0, 0), (1, 1), (1, 0), (0, 1)], 1, mass=1), "has no area.*in order round"),
    (lambda: vs.extrusion([(0, 0), (2, 2), (2, 0), (0, 1)], 1, mass=1), "cross or touch.*in order round"),
    (lambda: vs.extrusion([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1)], 1, mass=1), "cross or touch"),
    (lambda: vs.extrusion([(0, 0), (1, 1), (2, 2)], 1, mass=1), "no area: 3 different corners, 2 m wide"),
    (lambda: vs.extrusion([(0, 0), (1, 1)], 1, mass=1), "no area"),
    (lambda: vs.extrusion([], 1, mass=1), "not a polygon"),
    (lambda: vs.extrusion([(0, 0)] * 4, 1, mass=1), "no area: 0 different"),
    (lambda: vs.extrusion([(0, 0), (1, 0), (0, NAN)], 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion("square", 1, mass=1), "profile is not a polygon"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(0.5, 0.5), (2, 0.5), (0.5, 0.8)]]), "cross or touch.*inside"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(2, 2), (3, 2), (2, 3)]]), "hole 1 is outside the profile"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[SQUARE]), "cross or touch"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(-1, -1), (2, -1), (2, 2), (-1, 2)]]), "outside the profile"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(.1, .1), (.9, .1), (.5, .9)], [(.4, .4), (.6, .4), (.5, .5)]]),
     "inside another hole"),
    (lambda: vs.extrusion(SQUARE, 1, mass=1, holes=[[(0, 0)]]), "hole 1 has no area"),
    (lambda: vs.polyhedron(CUBE, [], mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, 8)], mass=1), "faces must be triangles.*0 to 7"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, -1)], mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE, CUBE_FACES + 0.5, mass=1), "faces must be triangles"),
    (lambda: vs.polyhedron(CUBE * NAN, CUBE_FACES, mass=1), "vertices must be n points"),
    (lambda: vs.polyhedron(CUBE[:, :2], CUBE_FACES, mass=1), "vertices must be n points"),
    (lambda: vs.polyhedron(CUBE * (1, 1, 0), CUBE_FACES, mass=1), "no volume"),
    (lambda: vs.polyhedron(CUBE, [(0, 1, 2), (0, 2, 1)], mass=1), "no volume"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(2, density=1), "cannot be taken out.*b is the hole"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(1, density=1), "cannot be taken out"),
    (lambda: vs.sphere(1, density=1) - vs.sphere(0.5, density=1).moved((5, 0, 0)), "not a possible body.*inside a"),
    (lambda: MassProperties(1, (0, 0, 0), (1, 1, 3)), "triangle inequality"),
    (lambda: MassProperties(1, (0, 0, NAN), 1.0), "com is"),
    (lambda: MassProperties(NAN, (0, 0, 0), 1.0), "mass is nan"),
    (lambda: MassProperties.given(1, (1, 0, 0), 0.1, about=(0, 0, 0)), "too small for 1 kg.*m, not mm.*negative about"),
    (lambda: MassProperties.given(1, (1, 0, 0), (0, 0, 2), about=(0, 0, 0)), "too small.*all three moments"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, about=(1e200, 0, 0)), "too small"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, about=(0, 0)), "about is"),
    (lambda: MassProperties.given(1, (0, 0, 0), 1, axes=np.diag([1, 1, -1])), "axes: the matrix is not a rotation"),
    (lambda: vs.sphere(1, mass=1).moved((0, 0, INF)), "at is"),
    (lambda: vs.sphere(1, mass=1).about("z"), "the point is 'z'"),
])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_what_cannot_be_meant_is_refused(call, message):
    with pytest.raises(ModelError, match=f"(?s){message}"):
        call()


def test_other_things_are_not_added():
    part = vs.sphere(1, mass=1)
    for wrong in (lambda: part + 1, lambda: 1 + part, lambda: part - 1, lambda: part + None):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("name", ["part.zip", "part.3mf"])
def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path, name, monkeypatch):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("part.stl", b"solid a\n" + b" " * 30_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it is unpacked"))
    with pytest.raises(ModelError, match=r"part\.stl' claims to unpack [0-9,]+ bytes into 30,000,008"):
        vs.mesh(path, mass=1.0)
    with pytest.raises(ModelError, match=r"packed \(\.bz2\)"):
        (tmp_path / "part.stl.bz2").write_bytes(b"BZh91AY")
        vs.mesh(tmp_path / "part.stl.bz2", mass=1.0)
