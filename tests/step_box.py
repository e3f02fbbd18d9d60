"""A box as a STEP file (ISO 10303-21, AP214), written from its corners: for tests of readers."""

import itertools

HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('box','',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""


class Step:
    """Entities of a file, numbered as they come."""

    def __init__(self):
        self.lines = []

    def put(self, kind, *fields):
        """An entity of a kind, whose first field is an empty name."""
        return self.raw(f"{kind}({','.join(chr(39) * 2 if f is None else str(f) for f in (None, *fields))})")

    def raw(self, text):
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def point(self, p):
        return self.put("CARTESIAN_POINT", reals(p))

    def direction(self, v):
        return self.put("DIRECTION", reals(v))

    def place(self, at, z, x):
        return self.put("AXIS2_PLACEMENT_3D", self.point(at), self.direction(z), self.direction(x))


def reals(values):
    return "(" + ",".join(f"{float(v):.9E}" for v in values) + ")"


def along(k, sign=1.0):
    return [sign if j == k else 0.0 for j in range(3)]


def step_box(size, at=(0.0, 0.0, 0.0), unit="MILLI"):
    """The text of a file with a box of a size [mm, or m without a prefix of the unit], its lowest corner at a point."""
    file = Step()
    corners = {
        b: tuple(o + s * k for o, s, k in zip(at, size, b, strict=True)) for b in itertools.product((0, 1), repeat=3)
    }
    edges = edges_of(file, corners)
    faces = [face(file, corners, edges, k, side) for k, side in itertools.product(range(3), (0, 1))]
    solid = file.put("MANIFOLD_SOLID_BREP", file.put("CLOSED_SHELL", f"({','.join(faces)})"))
    name_solid(file, solid, unit)
    return HEAD + "\n".join([*file.lines, "ENDSEC;", "END-ISO-10303-21;", ""])


def edges_of(file, corners):
    """Edges by the corners that they go between, along the axes."""
    vertices = {b: file.put("VERTEX_POINT", file.point(p)) for b, p in corners.items()}
    edges = {}
    for b, k in itertools.product(corners, range(3)):
        if not b[k]:
            e = tuple(1 if j == k else v for j, v in enumerate(b))
            line = file.put("LINE", file.point(corners[b]), file.put("VECTOR", file.direction(along(k)), "1.0"))
            edges[b, e] = file.put("EDGE_CURVE", vertices[b], vertices[e], line, ".T.")
    return edges


def face(file, corners, edges, k, side):
    """The face across axis k, its loop round the outward normal."""
    u, v = (k + 1) % 3, (k + 2) % 3
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)] if side else [(0, 0), (0, 1), (1, 1), (1, 0)]
    loop = [tuple({k: side, u: a, v: c}[j] for j in range(3)) for a, c in ring]
    turned = []
    for a, c in zip(loop, loop[1:] + loop[:1], strict=True):
        edge, way = (edges[a, c], ".T.") if (a, c) in edges else (edges[c, a], ".F.")
        turned.append(file.put("ORIENTED_EDGE", "*", "*", edge, way))
    bound = file.put("FACE_OUTER_BOUND", file.put("EDGE_LOOP", f"({','.join(turned)})"), ".T.")
    plane = file.put("PLANE", file.place(corners[loop[0]], along(k, 1.0 if side else -1.0), along(u)))
    return file.put("ADVANCED_FACE", f"({bound})", plane, ".T.")


def name_solid(file, solid, unit):
    """Units, and the product that the solid is the shape of."""
    metre = file.raw(f"(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT({f'.{unit}.' if unit else '$'},.METRE.))")
    angle = file.raw("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    wide = file.raw("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    close = file.raw(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{metre},'distance_accuracy_value','')")
    context = file.raw(
        f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({close}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({metre},{angle},{wide}))REPRESENTATION_CONTEXT('',''))"
    )
    origin = file.place((0, 0, 0), along(2), along(0))
    shape = file.put("ADVANCED_BREP_SHAPE_REPRESENTATION", f"({origin},{solid})", context)
    application = file.raw("APPLICATION_CONTEXT('automotive design')")
    product = file.raw(f"PRODUCT('box','box','',({file.put('PRODUCT_CONTEXT', application, repr('mechanical'))}))")
    formation = file.put("PRODUCT_DEFINITION_FORMATION", None, product)
    stage = file.put("PRODUCT_DEFINITION_CONTEXT", application, repr("design"))
    definition = file.raw(f"PRODUCT_DEFINITION('design','',{formation},{stage})")
    file.raw(f"SHAPE_DEFINITION_REPRESENTATION({file.put('PRODUCT_DEFINITION_SHAPE', None, definition)},{shape})")
