"""A box as a STEP file (ISO 10303-21, AP214), written from its corners: for tests of readers."""

import itertools


def step_box(size, at=(0.0, 0.0, 0.0), unit="MILLI"):
    """The text of a file with a box of a size [mm, or m without a unit's prefix] whose lowest corner is at a point."""
    lines = []

    def put(text):
        lines.append(f"#{len(lines) + 1}={text};")
        return f"#{len(lines)}"

    def reals(values):
        return "(" + ",".join(f"{float(v):.9E}" for v in values) + ")"

    def direction(v):
        return put(f"DIRECTION('',{reals(v)})")

    def point(p):
        return put(f"CARTESIAN_POINT('',{reals(p)})")

    corners = {
        b: tuple(o + s * k for o, s, k in zip(at, size, b, strict=True)) for b in itertools.product((0, 1), repeat=3)
    }
    vertices = {b: put(f"VERTEX_POINT('',{point(p)})") for b, p in corners.items()}
    edges = {}
    for b in corners:
        for k in range(3):
            if not b[k]:
                e = tuple(1 if j == k else v for j, v in enumerate(b))
                way = direction([1.0 if j == k else 0.0 for j in range(3)])
                line = put(f"LINE('',{point(corners[b])},{put(f'''VECTOR('',{way},1.0)''')})")
                edges[b, e] = put(f"EDGE_CURVE('',{vertices[b]},{vertices[e]},{line},.T.)")
    faces = []
    for k, side in itertools.product(range(3), (0, 1)):
        u, v = (k + 1) % 3, (k + 2) % 3
        ring = [(0, 0), (1, 0), (1, 1), (0, 1)] if side else [(0, 0), (0, 1), (1, 1), (1, 0)]
        loop = [tuple({k: side, u: a, v: c}[j] for j in range(3)) for a, c in ring]
        oriented = []
        for a, c in zip(loop, loop[1:] + loop[:1], strict=True):
            forward = (a, c) in edges
            oriented.append(
                put(f"ORIENTED_EDGE('',*,*,{edges[(a, c) if forward else (c, a)]},{'.T.' if forward else '.F.'})")
            )
        bound = put(f"FACE_OUTER_BOUND('',{put(f'''EDGE_LOOP('',({','.join(oriented)}))''')},.T.)")
        normal = [(1.0 if side else -1.0) if j == k else 0.0 for j in range(3)]
        across = [1.0 if j == u else 0.0 for j in range(3)]
        place = put(f"AXIS2_PLACEMENT_3D('',{point(corners[loop[0]])},{direction(normal)},{direction(across)})")
        faces.append(put(f"ADVANCED_FACE('',({bound}),{put(f'''PLANE('',{place})''')},.T.)"))
    solid = put(f"MANIFOLD_SOLID_BREP('box',{put(f'''CLOSED_SHELL('',({','.join(faces)}))''')})")
    metre = put(f"(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT({f'.{unit}.' if unit else '$'},.METRE.))")
    angle = put("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    solid_angle = put("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    close = put(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{metre},'distance_accuracy_value','')")
    context = put(
        f"(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({close}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({metre},{angle},{solid_angle}))REPRESENTATION_CONTEXT('',''))"
    )
    origin = put(f"AXIS2_PLACEMENT_3D('',{point((0, 0, 0))},{direction((0, 0, 1))},{direction((1, 0, 0))})")
    shape = put(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({origin},{solid}),{context})")
    application = put("APPLICATION_CONTEXT('automotive design')")
    product = put(f"PRODUCT('box','box','',({put(f'''PRODUCT_CONTEXT('',{application},'mechanical')''')}))")
    formation = put(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    definition = put(
        f"PRODUCT_DEFINITION('design','',{formation},{put(f'''PRODUCT_DEFINITION_CONTEXT('',{application},'design')''')})"
    )
    put(f"SHAPE_DEFINITION_REPRESENTATION({put(f'''PRODUCT_DEFINITION_SHAPE('','',{definition})''')},{shape})")
    head = ("ISO-10303-21;", "HEADER;", "FILE_DESCRIPTION((''),'2;1');", "FILE_NAME('box','',(''),(''),'','','');",
            "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));", "ENDSEC;", "DATA;")  # fmt: skip
    return "\n".join([*head, *lines, "ENDSEC;", "END-ISO-10303-21;", ""])
