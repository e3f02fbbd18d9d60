"""Every example runs and meets the numbers it claims; the numbers stand here a second time, on purpose."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
CLAIMS = {  # example: numbers its main() must return, and how well
    "pendulum": ([-0.275087, -0.961419], 1e-6),
    "n_four_bar": ([0.328458, 0.944519], 1e-4),
    "andrews_squeezer": ([15.8107711963] * 2, 1e-7 * 15.8),
    "bricard": ([0.999731, 0.0, -1.000269], 1e-6),
    "flyball_governor": ([0.619623], 1e-6),
    "slider_crank": ([2.005897933] * 2, 1e-6),
    "slider_crank_real_time": ([1.0, 1.0, 0.0942, 2.005897933], 5e-5),
    "mcpherson_road": ([0.026042], 1e-5),
    "abs_brake": ([41.655293, 1.0], 1e-5),
    "own_formulation": ([2.00589803454], 1e-5),
    "mcpherson": ([0.026042], 1e-6),
    "five_bar": ([-0.9265852742], 1e-7),
    "spatial_double_pendulum": ([-0.436885067, -0.790214714, -0.469556274], 1e-7),
    "free_body": ([2.996543928], 1e-7),
    "heavy_top": ([-0.150416823, -0.724165592, -0.673022270], 1e-7),
    "car": ([0.587346495, 0.0], 1e-8),
    "formula_student": ([0.0460406, 0.3399985], 5e-3),
    "truck": ([60644.804908, 20789.022298], 1e-2),
    "bouncing_point": ([x for e in (0.5, 0.9, 1.0) for n in range(1, 9)
                        for x in ((2 / 9.81)**0.5 * (1 + 2 * sum(e**k for k in range(1, n))), e**(2 * n))], 1e-10),
    "bouncing_ball": ([0.451523641, 0.015625, 1.354570923, 1.0], 1e-6),
    "stick_slip": ([0.3924, 1.053218258, 1.347518258, 2.008336516, 2.302636516, 2.963454774, 3.257754774, 3.918573032,
                    4.212873032, 4.873691290], 1e-8),
    "clearance_slider_crank": ([1.0, 1.0889, 0.9520, 1.0352, 0.9510, 1.1], 1e-2),
    "cart_pole_controller": ([-70.7107, -37.8345, 105.5298, 20.9238, 1.0, 1.0, 1.0, 1.0, 0.0], 1e-4),
    "cart_pole_fmu": ([1.0, 0.0], 1e-6),
    "hydraulic_actuator": ([0.109544512, 1.0, 1.0], 1e-8),
    "journal_bearing": ([1.12025, 0.5680, 0.6321], 1e-4),
    "cardan_efficiency": ([0.99458, 0.99294, 0.99821, 0.0, 0.0], 5e-6),
    "tolerance_slider_crank": ([17.97003586, 17.97003586, 70.19769948], 0.36),
    "tumbling_box": ([0.0, 0.0, 9.80665, 0.0], 1e-6),
    "spheres_into_funnel": ([0.0, 0.0, 0.0], 1e-6),
    "path_synthesis": ([0.0098957, 0.0], 2e-6),
    "parallel_robot": ([0.0, 0.0, 1.330476011, 93.163175, 55.897905], 1e-6),
}


@pytest.fixture
def example(monkeypatch):
    """Imports an example by its path, with its folder on the search path as when it is run as a script."""

    def load(name):
        monkeypatch.syspath_prepend(FOLDER)
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("comparison", None)


def test_every_example_makes_a_claim():
    assert {path.stem for path in FOLDER.glob("*.py")} - {"comparison"} == set(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_example_meets_the_number_it_claims(example, capsys, name):
    numbers, tolerance = CLAIMS[name]
    assert example(name).main() == pytest.approx(numbers, abs=tolerance)
    assert capsys.readouterr().out.count("difference") == len(numbers)


def test_examples_say_where_they_come_from(example):
    for name in CLAIMS:
        assert "Source: " in example(name).__doc__


def test_demo_ends_with_the_story_of_its_run(example, capsys):
    example("slider_crank").main()
    text = capsys.readouterr().out
    assert "it has 1, since 2 of its 19 conditions" in text
    assert "real time" in text and "2 redundant rows" in text and "balance kept" in text
