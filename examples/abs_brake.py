"""A quarter car brakes on a dry road, its brake held by an anti-lock controller in another process over datagrams.

Source: own example; its tyre is that of M. Burckhardt (1993), friction by slip on dry asphalt,
mu(s) = 1.2801 (1 - exp(-23.99 s)) - 0.52 s.
A locked wheel slides with mu(1) = 0.7601: from 25 m/s to 2 m/s it takes (25^2 - 2^2)/(2 mu g) = 41.6553 m exactly.
The best that any controller can do is the peak, mu(0.17) = 1.1700, in 27.061 m; this one, which opens the brake above a
slip of 0.2 and closes it below, stays within 0.5 m of that.
"""

import socket
import subprocess
import sys
from collections.abc import Callable

import vincolo as vc
from comparison import compare
from vincolo.analyses.stepper import Stepper
from vincolo.realtime.wire import packed, unpacked

G, RADIUS, MASS = 9.80665, 0.3, 400.0
SLIP = "max(car.vx - 0.3*spin.angle.rate, 0)/max(car.vx, 0.1)"
MU = f"(1.2801*(1 - exp(-23.99*({SLIP}))) - 0.52*({SLIP}))"
START, END, STEP = 25.0, 2.0, 1e-3  # m/s, m/s, s
LOCKED, BEST = 41.655293, 27.061239  # m


def build(locked: bool = False) -> vc.Model:
    """Car and wheel; the brake is an input, or holds the wheel."""
    model = vc.Model("quarter car with a brake", gravity=(0, 0, -G))
    car = model.body("car", MASS - 20, 10.0, velocity=(START, 0, 0))
    wheel = model.body("wheel", 20.0, 0.9, velocity=(START, 0, 0),
                       angular_velocity=(0, 0 if locked else START / RADIUS, 0))
    model.prismatic("road", model.ground, car, at=(0, 0, 0), axis="x")
    model.revolute("spin", car, wheel, at=(0, 0, 0), axis="y")
    if locked:
        model.hold("lock", "spin.angle")
    model.input("brake", unit="N m")
    grip = f"{MASS * G!r}*{MU}"
    model.actuator("tyre", "road.travel", f"-{grip}")
    model.actuator("turn", "spin.angle", f"{RADIUS}*{grip} - brake*tanh(spin.angle.rate)")
    for name, text in (("speed", "car.vx"), ("rim", f"{RADIUS}*spin.angle.rate"), ("way", "car.x")):
        model.output(name, text)
    return model


def control(port: int) -> None:
    """The controller: every answer is a brake torque [N m] for the speeds that came. It ends when nothing comes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.settimeout(30.0)
        wire.connect(("127.0.0.1", port))
        wire.send(packed(1, 0.0, [0.0]))
        while True:
            found = unpacked(wire.recv(4096))
            if found is None:
                return  # the end is a datagram that is none
            number, t, (speed, rim, _) = found
            wire.send(packed(number + 1, t, [3000.0 if speed - rim < 0.2 * speed else 0.0]))


class Remote:
    """The other end of the wire: asks for the brake torque by the outputs of every step, and waits for the answer."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire, self.count = wire, 0
        _, self.peer = wire.recvfrom(4096)

    def __call__(self, stepper: Stepper) -> float:
        self.count += 1
        self.wire.sendto(packed(self.count, stepper.t, stepper.outputs.tolist()), self.peer)
        return unpacked(self.wire.recv(4096))[2][0]

    def close(self) -> None:
        self.wire.sendto(b"end", self.peer)


def braked(stepper: Stepper, torque: Callable[[Stepper], float]) -> float:
    """The way [m] from the first speed to the last."""
    while stepper.outputs[0] > END:
        before = stepper.outputs.copy()
        stepper.step(brake=torque(stepper))
    share = (before[0] - END) / (before[0] - stepper.outputs[0])
    return float(before[2] + share * (stepper.outputs[2] - before[2]))


def braked_by_another_process() -> float:
    """The same with the controller in a process of its own, a datagram each way in every step."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        wire.settimeout(30.0)
        wire.bind(("127.0.0.1", 0))
        with subprocess.Popen([sys.executable, __file__, str(wire.getsockname()[1])]):
            remote = Remote(wire)
            way = braked(made(), remote)
            remote.close()
    return way


def made(locked: bool = False) -> Stepper:
    return vc.stepper(build(locked), STEP, integrator=vc.integrators.RK4(step=STEP))


def main() -> list[float]:
    locked, held = braked(made(locked=True), lambda _: 0.0), braked_by_another_process()
    print(f"Locked it slides {locked:.2f} m, with the controller {held:.2f} m; the best is {BEST} m.")
    return [compare("way with a locked wheel", locked, LOCKED, "m"),
            compare("anti-lock within 0.5 m of the best (1: yes)", float(BEST < held < BEST + 0.5), 1.0, "")]


if __name__ == "__main__":
    control(int(sys.argv[1])) if len(sys.argv) > 1 else main()
