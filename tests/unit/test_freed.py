"""What is no longer used is freed, also where the kernel holds what holds it: Python does not look into the kernel."""

import gc
import warnings

import pytest

import vincolo as vc
from entered_models import servo
from linkages import pendulum


def run():
    return vc.simulate(pendulum(), 0.1, outputs=3)


def recorded(folder):
    vc.simulate(pendulum(), 0.1, outputs=30, record=folder / "run.vincolo")


def own_formulation():
    def breaks(M, J, gamma, Q, phi, rate):
        raise ArithmeticError("of the user")

    result = vc.simulate(pendulum(), 0.1, formulation=breaks)
    assert "of the user" in result.reason
    return result


def called_law():
    m = pendulum()
    m.actuator("motor", "O.angle", lambda d, dd, t: -d if d > 0 else 0.1 * dd)
    return vc.simulate(m, 0.1, outputs=3)


def controller(breaks=False):
    m = servo()

    @m.controller(every=1e-2, reads=["cart.x"], writes=["u"])
    def control(t, x):
        if breaks and t > 0.05:
            raise ArithmeticError("of the user")
        return -5 * x

    return vc.simulate(m, 0.1, outputs=3)


def stepper():
    s = vc.stepper(servo(), 1e-2)
    s.step()
    return s


def systems() -> int:
    gc.collect()
    return sum(isinstance(x, vc.System | vc.Model) for x in gc.get_objects())


USES = {"run": run, "law that is called": called_law, "controller": controller, "stepper": stepper,
        "own formulation that breaks": own_formulation, "controller that breaks": lambda: controller(breaks=True)}


@pytest.mark.parametrize("name", USES)
def test_models_and_systems_are_freed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vc.VincoloWarning)
        USES[name]()  # what is kept for the next time
        before = systems()
        for _ in range(3):
            USES[name]()
    assert systems() == before


def test_recorded_runs_are_freed(tmp_path):
    recorded(tmp_path)
    before = systems()
    recorded(tmp_path)
    assert systems() == before
