"""What holds for every table: whatever a model is compiled to is in it, and comes back to the last bit."""

import inspect

import numpy as np
import pytest
from test_event_laws import workshop

import vincolo as vc
from entered_models import cart_pole, servo, slider_crank
from example_models import NAMES, example
from filed_models import all_kinds
from vincolo import _kernel
from vincolo.errors import ModelError
from vincolo.realtime.journal import Journal, calls_of
from vincolo.realtime.library import OK, CModel
from vincolo.realtime.table import plant

I = vc.integrators  # noqa: E741


def thin():
    """A pendulum without inertia about its own axis."""
    m = vc.Model("thin")
    arm = m.body("arm", 1.0, (0.0, 0.1, 0.1), at=(0.5, 0, 0))
    m.spherical("O", m.ground, arm, at=(0, 0, 0))
    m.output("height", "arm.z", unit="m")
    return m


def curved():
    """A cart on a spring by a curve, pushed by a force of time."""
    m = vc.Model("curved")
    cart = m.body("cart", 1.0, 0.1)
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.law("spring", "rail.travel", vc.Spline([-1, 0, 1], [-3, 0, 5]))
    m.actuator("pull", "rail.travel", vc.Sine(1.0, 3.0))
    m.output("x", "cart.x")
    return m


def bounded():
    """A cart that rubs on its rail, thrown against a stop."""
    m = vc.Model("bounded")
    cart = m.body("cart", 1.0, 0.1, velocity=(2.0, 0, 0))
    m.prismatic("rail", m.ground, cart, at=(0, 0, 0), axis="x")
    m.stop("end", "rail.travel", at_least=-0.01, at_most=0.02, restitution=0.5)
    m.friction("rub", "rail", 0.2)
    m.output("x", "cart.x")
    return m


def buffered():
    """A ball on its way to another, pushed apart by a force that begins at a distance."""
    m = vc.Model("buffered", gravity=(0, 0, 0))
    thrown, struck = m.body("thrown", 1.0, 0.1, velocity=(5.0, 0, 0)), m.body("struck", 1.0, 0.1, at=(0.11, 0.01, 0))
    m.stop("buffer", vc.distance(thrown.frame((0, 0, 0)), struck.frame((0.11, 0.01, 0))), at_least=0.05, force="1e4*d")
    m.output("x", "struck.x")
    return m


MODELS = {"servo": servo, "linear": lambda: servo("linear"), "slider-crank": lambda: slider_crank(3), "cart": cart_pole,
          "workshop": workshop, "thin": thin, "curved": curved, "bounded": bounded, "buffered": buffered}


def built(name):
    """The model of an example; what its build() must be given is one half."""
    build = example(name).build
    needed = [p for p in inspect.signature(build).parameters.values() if p.default is p.empty]
    return build(*[0.5] * len(needed))


def stepped_alike(model, steps=30, **solvers):
    """Whether a table steps as the stepper does, to the last bit, with the state of the end."""
    system = vc.compile(model)
    start = vc.assemble(system)
    found = plant(system, 1e-3, start=start, **solvers)
    c, s = CModel(found.text()), vc.stepper(system, 1e-3, start=start, integrator=found.solvers.integrator,
                                            **{k: v for k, v in solvers.items() if k != "integrator"})
    for k in range(steps):
        if len(s.inputs):
            s.inputs[:] = c.inputs[:] = 1e-3 * np.sin(0.3 * k)
        s.step()
        assert c.step() == OK, c.reason
        assert np.array_equal(s.outputs, c.outputs) and c.t == s.t
    state, numbers = s.state, [s.parameters[name] for name in c.parameter_names]
    assert np.array_equal(c.state[3:], [*state.y, *state.turns, *s.inputs, *numbers])


#: other numbers in what is there already; a table has a variant as compile() makes it
VARIANTS = {"set_body", "set_frame", "set_component", "set_spring", "set_constants"}


def test_every_call_that_makes_a_mechanism_is_one_that_tables_know():
    core = _kernel.core()
    known = {name for name in dir(core.Kernel) if name.startswith(("add_", "set_"))}
    assert known - VARIANTS - {"add_called"} == set(core.calls)


def test_the_models_of_these_laws_make_every_call():
    made = {name for model in (*MODELS.values(), all_kinds) for name, _ in calls_of(vc.compile(model()))}
    made |= {name for name in NAMES for name, _ in calls_of(vc.compile(built(name)))}
    assert made - {"add_called"} == set(_kernel.core().calls)


@pytest.mark.parametrize("name", MODELS)
def test_a_table_steps_as_the_stepper_does_to_the_last_bit(name):
    stepped_alike(MODELS[name]())


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"own_formulation"}))
def test_every_example_steps_from_its_table_to_the_last_bit(name):
    model = built(name)
    for control in list(model.controllers):
        model.remove(control)
    try:
        stepped_alike(model, steps=5)
    except ModelError as error:
        assert "export: " in str(error)  # what needs Python is refused by name


FIXED = [row.name for row in vc.solvers.table.TABLE if not row.adaptive and row.name != "Trapezoidal"]
FORMULATIONS = {"NullSpace": vc.formulations.NullSpace(), "QTZ": vc.formulations.QTZ(),
                "AugmentedLagrangian": vc.formulations.AugmentedLagrangian(),
                "Lagrange": vc.formulations.Lagrange(coordinates="euler_parameters"),
                "JointCoordinates": vc.formulations.JointCoordinates(),
                "CoordinatePartitioning": vc.formulations.CoordinatePartitioning()}


@pytest.mark.parametrize("name", FIXED)
def test_every_integrator_of_fixed_steps_goes_into_a_table(name):
    stepped_alike(slider_crank(2), steps=10, integrator=getattr(I, name)(step=5e-4))


@pytest.mark.parametrize("name", FORMULATIONS)
def test_formulations_and_their_options_go_into_a_table(name):
    stepped_alike(slider_crank(2), steps=10, integrator=I.RK4(step=1e-3), formulation=FORMULATIONS[name])


def test_stabilisations_go_into_a_table():
    for given in (vc.stabilisations.Baumgarte(5.0, 5.0), vc.stabilisations.Projection(tolerance=1e-7)):
        stepped_alike(slider_crank(2), steps=10, integrator=I.RK4(step=1e-3), stabilisation=given)


def test_a_journal_is_a_kernel_too():
    journal = Journal()
    system = vc.System(slider_crank(1), journal)
    assert system.kernel is journal and journal.state_size == vc.compile(slider_crank(1)).kernel.state_size
    assert journal.calls[0][0] == "add_body"
