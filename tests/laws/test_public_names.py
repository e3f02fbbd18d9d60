"""What must hold for every public name: it is typed and documented, it stands in one place, and tab completion shows
nothing else."""

import ast
import inspect
from pathlib import Path

import pytest

import vincolo as vc

SPACES = {"vincolo": vc} | {name: getattr(vc, name) for name in vc.__all__ if inspect.ismodule(getattr(vc, name))}
PLAIN = (int, float, str, tuple)  # constants, which have no docstring of their own


def shown(thing):
    """What tab completion offers of it."""
    return [name for name in dir(thing) if not name.startswith("_")]


NAMES = [(space, name) for space, module in SPACES.items() for name in shown(module)
         if name not in SPACES]
CLASSES = sorted({getattr(SPACES[space], name) for space, name in NAMES
                  if inspect.isclass(getattr(SPACES[space], name))}, key=lambda c: (c.__name__, c.__module__))


def test_the_top_level_is_short_and_shows_nothing_else():
    assert dir(vc) == sorted(vc.__all__) == sorted(set(vc.__all__))
    assert len(vc.__all__) <= 65
    assert {"functions", "shapes", "integrators", "formulations", "stabilisations"} <= set(SPACES)


@pytest.mark.parametrize(("space", "name"), NAMES)
def test_every_name_is_of_this_package_and_documented(space, name):
    thing = getattr(SPACES[space], name)
    if isinstance(thing, PLAIN):
        assert name in SPACES[space].__doc__
        return
    assert not inspect.ismodule(thing) and thing.__module__.startswith("vincolo."), f"{thing!r} is not of this package"
    written = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert written and not written.startswith(f"{name}("), f"{space}.{name} has no docstring of its own"


def untyped(function):
    """Arguments of a function without a type; 'return' if that of the value is missing."""
    signature = inspect.signature(function)
    found = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
    return found + ["return"] * (signature.return_annotation is signature.empty)


@pytest.mark.parametrize(("space", "name"), [(s, n) for s, n in NAMES if inspect.isfunction(getattr(SPACES[s], n))])
def test_every_function_is_typed(space, name):
    assert not untyped(getattr(SPACES[space], name))


def members(cls):
    """Public members of a class that are written in this package: name and function, for properties what reads them."""
    for name in shown(cls):
        owner = next(c for c in cls.__mro__ if name in vars(c))
        if owner.__module__.startswith("vincolo"):
            yield name, vars(owner)[name]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: f"{c.__module__}.{c.__name__}")
def test_every_method_is_typed_and_documented(cls):
    for name, member in members(cls):
        assert not inspect.ismodule(member) and getattr(member, "__module__", "") != "typing", name
        function = (member.fget if isinstance(member, property) else getattr(member, "func", None)
                    or getattr(member, "__func__", member))
        if inspect.isfunction(function):
            says = [vars(c)[name].__doc__ for c in cls.__mro__ if name in vars(c)]  # or its base says it
            assert any(says), f"{cls.__name__}.{name} has no docstring"
            assert not untyped(function), f"{cls.__name__}.{name}: no type for {untyped(function)}"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda c: f"{c.__module__}.{c.__name__}")
def test_every_class_is_typed_where_it_is_made(cls):
    if not issubclass(cls, BaseException) and cls.__init__ is not object.__init__:
        made = inspect.signature(cls.__init__).parameters.values()
        assert not [p.name for p in made if p.annotation is p.empty and p.name not in ("self", "args", "kwargs")]


def test_parts_results_and_states_show_no_modules_nor_types():
    m = vc.Model("m")
    body = m.body("bob", 1.0, 0.1, (1, 0, 0))
    joint = m.revolute("O", m.ground, body, (0, 0, 0), "y")
    result = vc.simulate(m, until=0.1)
    linear = vc.linearize(vc.assemble(m))
    things = [m, body, joint, joint.a, joint["angle"], m.spring("s", "O.angle", k=1.0), result, result.system,
              result.state(), result.mobility, result.reaction("O"), vc.statics(m), linear, vc.Rotation(),
              vc.functions.Sine(1, 2), vc.shapes.sphere(1.0, mass=1.0)]
    for thing in things:
        for name in shown(thing):
            value = inspect.getattr_static(thing, name)
            assert not inspect.ismodule(value) and getattr(value, "__module__", "") != "typing", (thing, name)


def test_every_name_stands_in_one_namespace_and_is_found_from_the_top():
    """vc.Sine is vc.functions.Sine: no name means two things."""
    for space, name in NAMES:
        assert getattr(vc, name) is getattr(SPACES[space], name), f"{space}.{name}"


def test_a_wrong_name_is_answered_with_the_right_one():
    for wrong, right in (("Sinus", "Sine"), ("simulat", "simulate"), ("Dormandprince", "DormandPrince")):
        with pytest.raises(AttributeError, match=f"no attribute '{wrong}'.*Did you mean '{right}'"):
            getattr(vc, wrong)
    assert not hasattr(vc, "LATER") and not hasattr(vc, "nothing_like_it")


def test_type_checkers_see_every_name_of_the_top_level():
    """What is imported at once, and what is imported for type checkers only, is together what is promised."""
    tree = ast.parse(Path(vc.__file__).read_text())
    later = next(node for node in tree.body if isinstance(node, ast.If)).body
    found = [alias.name for node in [*tree.body, *later] if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted({*found} - {"import_module", "TYPE_CHECKING", "Any", "suggest", "__version__"}) == sorted(vc.__all__)
