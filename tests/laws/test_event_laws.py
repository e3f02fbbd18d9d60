"""What holds for every event: restarts go on to the last bit, files keep them, samples show the state after them."""

import numpy as np
import pytest

import vincolo as vc
from vincolo.cli.checks import check_model

G = 9.81


def workshop():
    """A cart between stops on a spring, a pendulum on it, a brake that is switched and a counter."""
    model = vc.Model("workshop", gravity=(0, 0, -G))
    cart = model.body("cart", 2.0, 0.1, at=(0, 0, 0), velocity=(1.5, 0, 0))
    bob = model.body("bob", 0.5, 0.02, at=(0.4, 0, -0.3))
    model.prismatic("rail", model.ground, cart, at=(0, 0, 0), axis="x")
    model.revolute("pin", cart, bob, at=(0, 0, 0), axis="y")
    model.spring("return", "rail.travel", k=40.0, c=0.1, length=0.0)
    model.law("brake", "pin.angle", "0.2*dd")
    model.force("wind", bob, (0.5, 0, 0))
    model.variable("count")
    model.variable("high")
    model.hold("lock", "pin.angle")
    model.switch("lock", False)
    model.event("stop right", "rail.travel - 0.05", direction="up", bounce={"rail.travel": 0.7},
                set={"count": "count + 1"})
    model.event("stop left", "rail.travel + 0.05", direction="down", bounce={"rail.travel": 0.7},
                set={"count": "count + 1", "high": "max(high, abs(cart.vx))"})
    model.event("no brake", "count - 3", direction="up", switch_off=["brake", "wind"])
    model.event("push", at=[0.7, 1.3], strike={"cart.x": 1.0})
    model.event("grab", "count - 5", direction="up", switch_on="lock")
    model.event("let go", every=1.1, at=1.05, switch_off="lock")
    return model


METHODS = [vc.DormandPrince(rtol=1e-9, atol=1e-10), vc.DOP853(rtol=1e-9, atol=1e-10), vc.Radau(rtol=1e-8, atol=1e-9),
           vc.BDF(rtol=1e-7, atol=1e-8), vc.Adams(rtol=1e-9, atol=1e-10), vc.RK4(step=1e-3)]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_restart_in_the_middle_goes_on_to_the_last_bit(method):
    system = vc.compile(workshop())
    start = vc.assemble(system)
    whole = vc.simulate(system, 2.5, start=start, integrator=method, outputs=50, checkpoints=[0.9, 1.77])
    assert len(whole.events) > 10 and whole.complete
    assert {"stop right", "stop left", "no brake", "push", "grab", "let go"} <= {event.name for event in whole.events}
    k = int(np.searchsorted(whole.t, 0.9))
    rest = vc.simulate(system, 2.5, start=whole.state(k), integrator=method, outputs=whole.t[k:], checkpoints=[1.77])
    assert np.array_equal(rest.y, whole.y[k:]) and np.array_equal(rest.turns, whole.turns[k:])
    assert [(e.t, e.name) for e in rest.events] == [(e.t, e.name) for e in whole.events if e.t > 0.9]


@pytest.mark.parametrize("method", METHODS[:3], ids=lambda m: type(m).__name__)
def test_a_restart_right_after_an_event_goes_on_to_the_last_bit(method):
    system = vc.compile(workshop())
    start = vc.assemble(system)
    first = vc.simulate(system, 2.5, start=start, integrator=method, outputs=10)
    for event in first.events[::4]:
        rest = vc.simulate(system, 2.5, start=event.after, integrator=method, outputs=1)
        assert [(e.t, e.name) for e in rest.events] == [(e.t, e.name) for e in first.events if e.t > event.t]
        assert np.array_equal(rest.y[-1], first.y[-1])


def test_energy_follows_work_over_all_events():
    result = vc.simulate(workshop(), 3.0, integrator=vc.DOP853(rtol=1e-10, atol=1e-11))
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-7)
    assert result["residual.position"].max() < 1e-9
    lost = [event for event in result.events if event.name.startswith("stop")]
    for event in lost:
        assert event.after["rail.travel.rate"] == pytest.approx(-0.7 * event.before["rail.travel.rate"], abs=1e-10)
        assert abs(event.after["rail.travel"]) == pytest.approx(0.05, abs=1e-12)
        assert event.changed["count"][1] == event.changed["count"][0] + 1
    off = result.t > next(e.t for e in result.events if e.name == "no brake")
    assert np.abs(result["brake.force"][off]).max() == 0 and np.abs(result["brake.force"][~off]).max() > 0
    assert set(result["brake.on"][off]) == {0.0} and set(result["brake.on"][~off]) == {1.0}


def test_a_spring_that_lets_go_gives_up_its_energy_as_work():
    model = vc.Model(gravity=(0, 0, 0))
    model.body("a", 2.0, 0.1, at=(1, 0, 0))
    model.prismatic("rail", model.ground, model.bodies["a"], at=(0, 0, 0), axis="x")
    model.spring("s", "rail.travel", k=50.0, length=-0.3)
    model.event("cut", "rail.travel + 0.1", direction="down", switch_off="s")
    result = vc.simulate(model, 1.0, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    [cut] = result.events
    assert cut.energy == pytest.approx(-0.5 * 50 * 0.2**2, abs=1e-10)
    later = result.t > cut.t
    assert np.ptp(result["a.vx"][later]) < 1e-12
    assert result["energy.balance"] == pytest.approx(0.0, abs=1e-9)


def test_a_sample_at_the_time_of_an_event_shows_the_state_after_it():
    model = vc.Model(gravity=(0, 0, 0))
    model.body("a", 1.0, 0.1)
    model.event("kick", at=0.5, strike={"a.x": 2.0})
    result = vc.simulate(model, 1.0, outputs=[0.25, 0.5, 0.75, 1.0])
    assert result["a.vx"].tolist() == [0.0, 2.0, 2.0, 2.0]
    assert result["a.x"] == pytest.approx([0, 0, 0.5, 1.0], abs=1e-12)


def test_a_run_that_an_event_stops_ends_there_and_is_complete():
    model = vc.Model(gravity=(0, 0, -G))
    model.body("a", 1.0, 0.1, at=(0, 0, 1))
    model.event("floor", "a.z", direction="down", stop=True)
    result = vc.simulate(model, 10.0, outputs=100)
    assert result.complete and result.t[-1] == result.events[-1].t == pytest.approx(np.sqrt(2 / G), abs=1e-12)
    assert result["a.z"][-1] == pytest.approx(0.0, abs=1e-15) and len(result.t) == 6
    assert (np.diff(result.t) > 0).all() and "of 10 s asked for" in result.summary()


def test_functions_are_called_with_the_state_and_set_what_they_return():
    seen = []

    def measure(state):
        seen.append((state.t, state["a.x"]))
        return {"push": 2.0 if len(seen) == 1 else 0.0}

    model = vc.Model(gravity=(0, 0, 0))
    model.body("a", 1.0, 0.1)
    model.prismatic("rail", model.ground, model.bodies["a"], at=(0, 0, 0), axis="x")
    model.variable("push", 0.0)
    model.actuator("motor", "rail.travel", "push")
    model.event("ask", at=[0.5, 1.5], call=measure)
    result = vc.simulate(model, 2.0)
    assert [t for t, _ in seen] == [0.5, 1.5] and seen[1][1] == pytest.approx(1.0, abs=1e-9)
    assert result["a.vx"][-1] == pytest.approx(2.0, abs=1e-9) and result["push"][-1] == 0.0


def test_what_an_event_sets_may_bring_about_another_at_once():
    model = vc.Model(gravity=(0, 0, 0))
    model.body("a", 1.0, 0.1, velocity=(1, 0, 0))
    model.variable("n")
    model.event("second", "n - 0.5", direction="up", set={"n": 2})
    model.event("first", "a.x - 0.25", set={"n": 1})
    result = vc.simulate(model, 1.0)
    assert [e.name for e in result.events] == ["first", "second"]
    assert [e.t for e in result.events] == pytest.approx([0.25, 0.25], abs=1e-14) and result["n"][-1] == 2


def test_zero_at_the_start_is_no_crossing_but_a_later_one_is():
    model = vc.Model(gravity=(0, 0, 0))
    model.body("a", 1.0, 0.1)
    model.prismatic("rail", model.ground, model.bodies["a"], at=(0, 0, 0), axis="x")
    model.spring("s", "rail.travel", k=4.0, length=-0.5)  # about -0.5, from rest at 0
    for direction in ("up", "down", "both"):
        model.event(f"rate {direction}", "rail.travel.rate", direction=direction)
        model.event(f"place {direction}", "rail.travel - 0.001*t", direction=direction)  # from zero down, and not back
    result = vc.simulate(model, 3 * np.pi / 2 + 0.1, integrator=vc.DOP853(rtol=1e-11, atol=1e-12))
    w = np.sqrt(4.0)
    names = {name: [e.t for e in result.events if e.name == name] for name in model.events}
    half = np.pi / w  # back and forth: turns at half, 2 half, 3 half
    assert names["rate up"] == pytest.approx([half, 3 * half], abs=1e-9)
    assert names["rate down"] == pytest.approx([2 * half], abs=1e-9)
    assert names["rate both"] == pytest.approx([half, 2 * half, 3 * half], abs=1e-9)
    assert names["place up"] == names["place down"] == names["place both"] == []


@pytest.mark.parametrize("ending", ["yaml", "xlsx"])
def test_files_keep_events(tmp_path, ending):
    model, path = workshop(), tmp_path / f"workshop.{ending}"
    model.event("done", "count - 40", direction="up", stop=True)
    model.event("half", "rail.travel", switch_off={"rail": [0]}, switch_on={"rail": [0]}, latch=False)
    vc.save_model(model, path)
    again = vc.load_model(path)
    assert list(again.events) == list(model.events)
    for name, event in model.events.items():
        assert again.events[name].condition == event.condition and again.events[name].done == event.done
        assert [getattr(a, "latch", None) for a in again.events[name].actions] == [
            getattr(a, "latch", None) for a in event.actions]
    model.remove("half")
    vc.save_model(model, path)
    runs = [vc.simulate(m, 1.0, outputs=5) for m in (model, vc.load_model(path))]
    assert np.array_equal(runs[0].y, runs[1].y) and len(runs[0].events) == len(runs[1].events) > 3


@pytest.mark.parametrize("recorded", [False, True], ids=["saved", "recorded"])
def test_results_in_files_keep_what_happened(tmp_path, recorded):
    system, path = vc.compile(workshop()), tmp_path / "run.vcr"
    result = vc.simulate(system, 1.5, record=path if recorded else None)
    if not recorded:
        result.save(path)
    again = vc.Result.load(path, system)
    assert [str(event) for event in again.events] == [str(event) for event in result.events] != []
    for a, b in zip(again.events, result.events, strict=True):
        assert np.array_equal(a.before.y, b.before.y) and np.array_equal(a.after.y, b.after.y)
        assert a.impulses == b.impulses and a.changed == b.changed


def test_pictures_and_pages_mark_events(tmp_path):
    result = vc.simulate(workshop(), 1.0)
    times = sorted({event.t for event in result.events})
    assert sorted(result.plot("cart.x").picture.marks) == times
    page = result.show(tmp_path / "page.html").read_text()
    assert "stop right" in page and 'id="happened"' in page
    result.plot("cart.x", path=tmp_path / "x.png")
    assert "Events" in (result.report(tmp_path / "r.html", animation=False).read_text())


def test_check_names_events(tmp_path, capsys):
    vc.save_model(workshop(), tmp_path / "w.yaml")
    check_model(str(tmp_path / "w.yaml"), [], False, False)
    said = capsys.readouterr().out
    assert "6 events" in said and "event 'grab', where count - 5 crosses zero upwards: switches 'lock' on" in said


def test_a_sub_model_brings_its_events_with_its_own_names():
    part = vc.Model("part")
    part.body("ball", 1.0, 0.1, at=(0, 0, 1))
    part.variable("hits")
    part.measure("height", vc.along("z", part.ground.frame((0, 0, 0)), part.bodies["ball"].frame()))
    part.event("hit", "height", direction="down", bounce={"height": 1.0}, set={"hits": "hits + 1"})
    model = vc.Model("two", gravity=(0, 0, -G))
    model.add("left", part)
    model.add("right", part, at=(0, 0, 0.5))
    result = vc.simulate(model, 0.6)
    floor = {"left": np.sqrt(2 / G), "right": np.sqrt(2 / G)}
    assert {e.name: e.t for e in result.events} == pytest.approx({f"{n}.hit": t for n, t in floor.items()}, abs=1e-10)
    assert result["left.hits"][-1] == result["right.hits"][-1] == 1


def test_random_chains_of_events_are_the_same_with_every_integrator():
    """Balls in a box with random speeds: each wall throws back; all integrators see the same hits."""
    rng = np.random.default_rng(8)
    model = vc.Model(gravity=(0, 0, -G))
    for k in range(3):
        model.body(f"b{k}", 1.0, 0.1, at=(0.2 * k, 0, 0.3 + 0.1 * k), velocity=rng.uniform(-2, 2, 3).tolist())
        for axis, lowest in zip("xyz", (-1, -1, 0), strict=True):
            place = f"b{k}.{axis}"
            model.event(f"{place} low", f"{place} - ({lowest})", direction="down", bounce={place: 0.95})
            model.event(f"{place} high", f"{place} - 1", direction="up", bounce={place: 0.95})
    expected = None
    for cls in (vc.DOP853, vc.DormandPrince, vc.Radau, vc.Verner, vc.CashKarp):
        result = vc.simulate(model, 6.0, integrator=cls(rtol=1e-11, atol=1e-12))
        found = [(event.name, event.t) for event in result.events]
        expected = expected or found
        assert [name for name, _ in found] == [name for name, _ in expected]
        assert [t for _, t in found] == pytest.approx([t for _, t in expected], abs=1e-8)
        inside = [np.abs(result[f"b{k}.x"]).max() for k in range(3)]
        assert max(inside) <= 1 + 1e-9 and min(result[f"b{k}.z"].min() for k in range(3)) > -1e-9
    assert len(expected) >= 50
