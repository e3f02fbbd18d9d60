"""Templates of suspensions: points in mm, one side, found by role."""

from __future__ import annotations

from typing import Any

from vincolo.formats.excel.template_models import Template
from vincolo.vehicle.fields import SUSPENSION
from vincolo.vehicle.starters import example
from vincolo.vehicle.suspension import Suspension

#: name of the template: the starter, its title
_ONE = {
    "fs-front": ("fs u-bar", "The front suspension of a Formula Student car: double wishbone, push rods, U-bar, rack"),
    "fs-rear": ("fs pull rod", "The rear suspension of a Formula Student car: double wishbone with pull rods"),
    "fs-t-bar": ("fs t-bar", "A Formula Student suspension with push rods and a T-bar"),
    "fs-third-spring": ("fs third spring", "A Formula Student suspension with a third spring between the rockers"),
    "mcpherson": ("mcpherson", "A McPherson strut suspension with a rack"),
    "multilink": ("five-link", "A five-link suspension"),
    "semi-trailing": ("semi-trailing arm", "A semi-trailing arm suspension"),
    "live-axle": ("live axle", "A live axle on links with a Panhard rod"),
}
_LIMITS = {
    "camber": {"metric": "left.camber", "rig": "parallel", "low": "-5 deg", "high": "2 deg"},
    "bump steer": {"metric": "left.toe", "rig": "parallel", "low": "-1.5 deg", "high": "1.5 deg"},
    "roll centre": {"metric": "roll_centre_height", "rig": "parallel", "low": "-100 mm", "high": "450 mm"},
}
_NOTES = (
    "Points are those of the left side in mm, x forward, y left, z up (ISO 8855); the right side is mirrored. A "
    "point called "
    "front_lower_ball is the role lower_ball of the suspension front.",
    "Change points and rates, save, and run 'vincolo suspension {name}': camber, toe, roll centre, motion ratios "
    "and more along "
    "wheel travel, roll and steer, and whether the limits on the sheet Limits are kept.",
    "Anything special is added on the sheets Bodies, Joints and Springs; the parts made for you are called "
    "front_left_upright, front_left_lower_arm, front_rack and so on ('vincolo check {name} -v' lists them).",
)


def suspension_tree(s: Suspension) -> dict[str, Any]:
    """The tree of a suspension: its points by name, and the numbers that differ from nothing."""
    blank = {key: Suspension.__dataclass_fields__[key].default for key in SUSPENSION}
    own = {key: getattr(s, key) for key in SUSPENSION if getattr(s, key) != blank[key]}
    return {
        "suspensions": {
            s.name: {key: dict(v) if key == "bushings" else v for key, v in own.items() if key != "bushings" or v}
        },
        "points": {f"{s.name}_{role}": [round(float(v), 9) for v in p] for role, p in s.points.items()},
    }


def _template(starter: str, title: str) -> Template:
    s = example(
        starter, "rear" if starter in ("fs pull rod", "five-link", "semi-trailing arm", "live axle") else "front"
    )
    tree = {
        "name": title.split(":")[0],
        "gravity": [0.0, 0.0, -9.80665],
        **suspension_tree(s),
        "limits": _LIMITS,
        "run": {"analysis": "dynamics", "until": 2.0, "outputs": 200, "units": ["as in headings"]},
    }
    comments = {("points", f"{s.name}_{role}"): text for role, text in s.about.items()}
    return Template(title, tree, comments, _NOTES, ("mm", "deg"))


def vehicle_templates() -> dict[str, Template]:
    """All templates of suspensions by name."""
    return {name: _template(*given) for name, given in _ONE.items()}


VEHICLE_TEMPLATES = (*_ONE,)
