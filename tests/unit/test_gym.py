"""Mechanisms as gymnasium environments."""

import warnings

import numpy as np
import pytest

import vincolo as vc
from entered_models import MOTION, cart_pole

gymnasium = pytest.importorskip("gymnasium")


def tilted(system, rng):
    return vc.assemble(system, {"hinge.angle": rng.uniform(-0.05, 0.05)})


def environment(**more):
    given = {"observe": MOTION, "act": {"push": (-10, 10)}, "reward": "1 - hinge.angle^2 - 0.01*push^2",
             "terminate": "abs(hinge.angle) - 0.2", "step": 0.02, "duration": 2.0, "start": tilted, **more}
    return vc.gym(cart_pole(), **given)


def test_it_passes_the_checker_of_gymnasium():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|spec|render|symmetric).*")
        check_env(environment(), skip_render_check=True)


def test_an_episode_is_the_run_of_a_stepper_and_ends():
    env = environment()
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert (first == again).all() and first.dtype == np.float32 and first[2] != 0
    steps, over, cut = 0, False, False
    while not (over or cut):
        observation, reward, over, cut, info = env.step([0.0])
        steps += 1
    assert over and not cut and abs(observation[2]) > 0.2 and reward < 1 and info["t"] == pytest.approx(0.02 * steps)


def test_time_is_over_where_a_controller_holds_it():
    linear = vc.linearize(vc.assemble(cart_pole()), inputs=["motor"], outputs=MOTION)
    hold = vc.blocks.lqr(linear, [5000, 0, 100, 0], [1], every=0.02)
    env = environment()
    observation, _ = env.reset(seed=5)
    for k in range(100):
        observation, reward, over, cut, _ = env.step(hold(0.0, *observation))
        assert not over and cut == (k == 99)
    assert reward > 0.99 and abs(observation[2]) < 0.01


def test_rewards_and_ends_may_be_functions_and_actions_are_clipped():
    env = environment(reward=lambda seen, act: float(act[0]), terminate=lambda seen, act: seen[0] > 1e-3)
    env.reset(seed=1)
    assert env.step([99.0])[1] == 10.0
    assert env.step([10.0])[2]


def test_a_vector_of_them_steps_together_and_begins_anew():
    many, one = environment(count=4), environment()
    seen, _ = many.reset(seed=7)
    assert seen.shape == (4, 4) and len({*seen[:, 2].tolist()}) == 4 and (one.reset(seed=7)[0] == seen[0]).all()
    one_step = one.step([3.0])
    actions = np.array([[3.0], [1.0], [0.0], [-2.0]], dtype=np.float32)
    seen, rewards, over, cut, _ = many.step(actions)
    assert (seen[0] == one_step[0]).all() and rewards[0] == one_step[1] and not over.any() and not cut.any()
    ended = np.zeros(4, dtype=bool)
    for _ in range(120):
        seen, rewards, over, cut, _ = many.step(actions)
        assert (np.abs(seen[ended, 2]) <= 0.05).all() and (rewards[ended] == 0).all()  # begun anew
        ended = over | cut
    assert many.single_action_space.shape == (1,) and many.action_space.shape == (4, 1)


@pytest.mark.parametrize(("given", "phrase"), [
    ({"act": {"pull": (-1, 1)}}, "no input called 'pull'"), ({"act": {}}, "act is"),
    ({"act": {"push": (1, -1)}}, "lower"),
    ({"observe": ["hinge.angel"]}, "hinge.angle"), ({"observe": ["cart.ax"]}, "follows from forces"),
    ({"reward": 3}, "a text or a function"), ({"duration": 0.001}, "less than a step"), ({"count": 0}, "count is 0"),
    ({"observe": []}, "nothing is observed")])
def test_wrong_tasks_are_refused(given, phrase):
    with pytest.raises(vc.ModelError, match=phrase):
        environment(**given)
