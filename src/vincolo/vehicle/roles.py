"""What a suspension is made of: kinds, the points they need by role, and options, in one table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of suspension: its points by role, the bodies that can carry a rod or spring, and where they do."""

    roles: dict[str, str]
    mounts: tuple[str, ...]  # bodies that carry push rods, springs and bars; the first one is used if none is asked for
    kingpin: tuple[str, str] | None  # lower and upper point of the steering axis; None: found from the motion
    springs: tuple[str, ...] = ("direct", "push rod", "pull rod", "none")
    central: tuple[str, ...] = ()  # points that may be in the middle plane, or on one side only


_WHEEL = {"wheel_centre": "centre of the wheel"}
_TIE = {"tie_inner": "tie or toe rod, on the rack or chassis", "tie_outer": "tie or toe rod, on the upright"}
_LOWER = {
    "lower_front": "lower arm, front pivot on the chassis",
    "lower_rear": "lower arm, rear pivot on the chassis",
    "lower_ball": "lower ball joint",
}
_UPPER = {
    "upper_front": "upper arm, front pivot on the chassis",
    "upper_rear": "upper arm, rear pivot on the chassis",
    "upper_ball": "upper ball joint",
}
_LINKS = {
    f"link{k}_{end}": f"link {k}, on the {on}"
    for k in range(1, 5)
    for end, on in (("inner", "chassis"), ("outer", "upright"))
}

#: kinds of suspensions: the points they need, and what may carry their springs
KINDS: dict[str, Kind] = {
    "double wishbone": Kind(
        {**_UPPER, **_LOWER, **_TIE, **_WHEEL}, ("lower_arm", "upper_arm", "upright"), ("lower_ball", "upper_ball")
    ),
    "mcpherson": Kind(
        {
            **_LOWER,
            "strut_top": "strut, on the chassis",
            "strut_bottom": "strut, on the upright: a second point of its axis",
            **_TIE,
            **_WHEEL,
        },
        ("upright", "lower_arm"),
        ("lower_ball", "strut_top"),
        ("strut", "direct", "none"),
    ),
    "five-link": Kind({**_LINKS, **_TIE, **_WHEEL}, ("upright",), None),
    "semi-trailing arm": Kind(
        {"pivot_inner": "hinge of the arm, inner end", "pivot_outer": "hinge of the arm, outer end", **_WHEEL},
        ("arm",),
        None,
        ("direct", "none"),
    ),
    "live axle": Kind(
        {
            "lower_chassis": "lower link, on the chassis",
            "lower_axle": "lower link, on the axle",
            "upper_chassis": "upper link, on the chassis",
            "upper_axle": "upper link, on the axle",
            **_WHEEL,
        },
        ("axle",),
        None,
        ("direct", "none"),
        ("upper_chassis", "upper_axle"),
    ),
}
#: points that a choice of springs needs, and what they are
SPRINGS: dict[str, dict[str, str]] = {
    "direct": {"spring_top": "spring and damper, on the chassis", "spring_bottom": "spring and damper, lower end"},
    "push rod": {
        "rod_outer": "push or pull rod, outer end",
        "rod_rocker": "push or pull rod, on the rocker",
        "rocker_pivot": "rocker, its pivot on the chassis",
        "rocker_axis": "rocker, a second point of its axis",
        "spring_rocker": "spring and damper, on the rocker",
        "spring_chassis": "spring and damper, on the chassis",
    },
    "strut": {},
    "none": {},
}
SPRINGS["pull rod"] = SPRINGS["push rod"]
BARS: dict[str, dict[str, str]] = {
    "none": {},
    "u": {
        "bar_pivot": "anti-roll bar, a point of its axis",
        "bar_end": "anti-roll bar, end of its lever",
        "bar_link": "drop link, at the suspension",
    },
    "t": {
        "bar_pivot": "T-bar, foot of its stem (in the middle)",
        "bar_top": "T-bar, top of its stem (in the middle)",
        "bar_end": "T-bar, end of its cross-piece",
        "bar_link": "drop link, at the suspension",
    },
}
THIRD = {"third_rocker": "third spring, on the rocker"}
PANHARD = {"panhard_chassis": "Panhard rod, on the chassis", "panhard_axle": "Panhard rod, on the axle"}
MIDDLE = ("bar_pivot", "bar_top")  # of a T-bar


def roles_of(kind: str, spring: str, bar: str, third: bool) -> dict[str, str]:
    """The points that a suspension needs, and what each is."""
    return {**KINDS[kind].roles, **SPRINGS[spring], **BARS[bar], **(THIRD if third else {})}


def optional_roles(kind: str) -> dict[str, str]:
    """Points that it may have besides."""
    return PANHARD if kind == "live axle" else {}


#: points on the chassis that may be in bushings
ELASTIC = (
    *(f"{level}_{end}" for level in ("upper", "lower") for end in ("front", "rear", "chassis")),
    "tie_inner",
    *(f"link{k}_inner" for k in range(1, 5)),
    "pivot_inner",
    "pivot_outer",
    "panhard_chassis",
)
