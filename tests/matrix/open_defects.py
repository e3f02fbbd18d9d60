"""Combinations that fail, with what is wrong. Each must fail: one that passes is taken off this list."""

#: by mechanism, part and way of running
OPEN = {
    ("four-bar of pins", "clearance", "linearize"):
        "statics() tries one set of closed stops after the other and finds none, where the mechanism does come to rest",
    ("driven slider-crank", "soft contact", "GeneralisedAlpha"):
        "the implicit step does not converge at the first touch, whatever its size; other integrators pass it",
    ("six-axis arm", "elastic clearance", "AdamsMoulton"):
        "the run ends with a false reason: a body without inertia, in a mechanism where all have inertia",
    ("cam and follower", "soft contact of boxes", "restart"):
        "a run from a checkpoint differs by 1e-7, which is documented to be exact",
}
