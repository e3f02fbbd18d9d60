"""A mechanism for cards, and cards written by hand."""

import vincolo as vc


def arm_and_slider():
    """An arm hinged on the ground about z, and a block on a rail along x."""
    m = vc.Model("arm and slider", gravity=(0, 0, 0))
    arm = m.body("arm", 2.0, (0.01, 0.2, 0.2), at=(0.5, 0, 0))
    slider = m.body("slider", 1.0, 0.1, at=(1.5, 0, 0))
    m.revolute("O", m.ground, arm, at=(0, 0, 0), axis="z")
    m.prismatic("rail", slider, m.ground, at=(0, 0, 0), axis="x")
    return m


def card(folder, name, text):
    (folder / f"{name}.s3d").write_text("NumDyn3D ver. 7.0a\n" + text)
    return folder
