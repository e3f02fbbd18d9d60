"""Balls fall through a funnel onto the ground, all of them: none is lost on the way.

Source: none of the balls may leave the funnel but through its mouth (conservation of their number), none may be inside
another or in the wall by more than a hundredth of its radius, and the balance of energy must close. `main(200)` takes
longer; by default 24 balls show the same. `beside_mujoco()` times the same scene in MuJoCo.
"""

import math
import time

import numpy as np

import vincolo as vc
from comparison import compare

RADIUS, MOUTH, TOP, HEIGHT, SIDES = 0.03, 0.08, 0.5, 0.6, 24
STEP = 1e-3  # s
BASE = 0.5  # height of the mouth


def wall() -> dict[str, object]:
    """The funnel as an open surface of triangles."""
    angles = [2 * math.pi * k / SIDES for k in range(SIDES)]
    rings = [(MOUTH, BASE), (TOP, BASE + HEIGHT), (TOP, BASE + HEIGHT + 1.5)]
    vertices = [[r * math.cos(a), r * math.sin(a), z] for r, z in rings for a in angles]
    faces = []
    for ring in range(len(rings) - 1):
        for k in range(SIDES):
            a, b = ring * SIDES + k, ring * SIDES + (k + 1) % SIDES
            faces += [[a, b, b + SIDES], [a, b + SIDES, a + SIDES]]
    return {"kind": "surface", "vertices": vertices, "faces": faces}


def places(count: int) -> list[tuple[float, float, float]]:
    """A loose grid of balls above the mouth, a little out of line."""
    rng, found, layer = np.random.default_rng(1), [], 0
    while len(found) < count:
        for x in np.arange(-0.3, 0.31, 0.1):
            for y in np.arange(-0.3, 0.31, 0.1):
                shift = rng.uniform(-0.01, 0.01, 2)
                if math.hypot(x, y) < 0.33 and len(found) < count:
                    found.append((float(x + shift[0]), float(y + shift[1]), BASE + HEIGHT + 0.1 + 0.1 * layer))
        layer += 1
    return found


def build(count: int = 24) -> vc.Model:
    """The balls over the funnel."""
    model = vc.Model("funnel")
    balls = [model.body(f"ball{k}", vc.shapes.sphere(RADIUS, density=1000.0), at=at)
             for k, at in enumerate(places(count))]
    model.contact("wall", model.ground, balls, wall(), friction=0.2)
    model.contact("floor", model.ground, balls, "plane", friction=0.5)
    model.contact("balls", balls, friction=0.2)
    return model


def run(count: int, until: float, step: float = STEP) -> vc.Result:
    """The run by steps of one size [s]: with 2 ms few balls overlap the rim a little where they meet it."""
    steps = vc.integrators.Moreau(step=step, tolerance=1e-6)
    return vc.simulate(build(count), until=until, integrator=steps, outputs=40)


def lost(result: vc.Result, count: int) -> int:
    """Balls that are below the floor, or left the funnel but through its mouth."""
    z = np.stack([result[f"ball{k}.z"] for k in range(count)])
    r = np.stack([np.hypot(result[f"ball{k}.x"], result[f"ball{k}.y"]) for k in range(count)])
    inside = MOUTH + (TOP - MOUTH) * np.clip((z - BASE) / HEIGHT, 0, 1)
    return int(((z < 0.99 * RADIUS) | ((z > BASE + RADIUS) & (r > inside))).any(axis=1).sum())


def beside_mujoco(count: int, until: float) -> float:
    """Seconds that MuJoCo takes for balls on its own funnel of the same triangles, at the same step."""
    import mujoco

    shape = wall()
    boxes = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom size="{RADIUS}" density="1000" friction="0.2"/></body>'
                    for x, y, z in places(count))
    sheets = []
    for a, b, c in shape["faces"]:
        p, q, s = (np.array(shape["vertices"][k]) for k in (a, b, c))
        normal = np.cross(q - p, s - p)
        back = -0.01 * normal / np.linalg.norm(normal)
        points = " ".join(f"{x:.9g}" for v in (p, q, s, p + back, q + back, s + back) for x in v)
        sheets.append(f'<mesh name="m{len(sheets)}" vertex="{points}"/>')
    walls = "".join(f'<geom type="mesh" mesh="m{k}"/>' for k in range(len(sheets)))
    xml = (f'<mujoco><option timestep="{STEP}" integrator="implicitfast"/><asset>{"".join(sheets)}</asset><worldbody>'
           f'<geom type="plane" size="5 5 1"/>{walls}{boxes}</worldbody></mujoco>')
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    start = time.process_time()
    for _ in range(round(until / STEP)):
        mujoco.mj_step(model, data)
    return time.process_time() - start


def main(count: int = 24, until: float = 1.2) -> list[float]:
    result = run(count, until)
    deepest = min(float(result[f"{name}.gap"].min()) for name in ("wall", "floor", "balls"))
    print(f"{count} balls, {result.statistics['contact_points']} points of contact at most, {result.seconds:.1f} s")
    return [compare("balls lost", float(lost(result, count)), 0.0, ""),
            compare("overlap beyond a hundredth of the radius", max(0.0, -deepest - RADIUS / 100), 0.0, "m"),
            compare("balance of energy", float(np.abs(result["energy.balance"]).max()), 0.0, "J")]


if __name__ == "__main__":
    main()
