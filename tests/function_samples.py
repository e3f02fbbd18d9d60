"""Samples of every function of time."""

import math

import numpy as np

import vincolo as vc
from vincolo.model import functions as fn

X, Y = (-1.0, 0.2, 0.5, 1.7, 3.0), (2.0, -1.0, 4.0, 4.0, 0.5)
ROWS = ((2.0, -1.0, 0.3, 0.0), (0.5, 1.0, -2.0, 1.0), (1.0, 0.0, 0.0, 0.7), (-3.0,))
WAVE = fn.Sine(0.7, 2.3, 0.4, 0.2)
RISE = fn.Cycloidal(0.2, 1.3, -1.0, 2.0)


class Run:
    """A result as Recorded reads one: a swing with its rates."""

    t = np.array([-1.0, 0.3, 0.9, 2.2])

    def keys(self):
        return ["t", "b.x", "b.vx", "b.ax", "O.angle", "O.angle.rate", "energy.total"]

    def __getitem__(self, name):
        return {"t": self.t, "x": np.sin(self.t), "vx": np.cos(self.t), "ax": -np.sin(self.t), "angle": self.t**2,
                "rate": 2 * self.t, "total": self.t**3}[name.rpartition(".")[2]]


#: every function, in every form that the kernel tells apart
SAMPLES = {
    fn.Constant: [vc.Constant(3.5)],
    fn.Ramp: [vc.Ramp(2.0), vc.Ramp(-3.0, 0.7, 5.0)],
    fn.Line: [fn.Line(0.3, 1.1, 2.0, -1.0)],
    fn.Polynomial: [vc.Polynomial([4.0]), vc.Polynomial([1, -2, 0.5, 3, 0, -0.2])],
    fn.Sine: [vc.Sine(2.0, 3.0), vc.Sine(-1.5, 0.3, 1.0, 7.0)],
    fn.Cosine: [fn.Cosine(2.0, 3.0), fn.Cosine(-1.5, 0.3, 1.0, 7.0)],
    fn.Tan: [fn.Tan(2.0, 0.3, 0.1, 1.0)],
    fn.Chirp: [fn.Chirp(1.5, 2.0, 9.0, 0.1, 1.6, 0.3, 4.0), fn.Chirp(1.5, 9.0, 2.0, 0.1, 1.6, sweep="logarithmic")],
    fn.SmoothStep: [vc.SmoothStep(0.4, 1.9), vc.SmoothStep(-0.5, 0.8, 3.0, -2.0)],
    fn.Sigma: [fn.Sigma(-0.5, 0.8, 3.0, -2.0)],
    fn.Poly345: [fn.Poly345(0.4, 1.9), fn.Poly345(-0.5, 0.8, 3.0, -2.0, (1.0, -2.0), (0.3, 4.0))],
    fn.Poly4567: [fn.Poly4567(-0.5, 0.8, 3.0, -2.0)],
    fn.Cycloidal: [RISE],
    fn.Haversine: [fn.Haversine(-0.5, 0.8, 3.0, -2.0)],
    fn.ModifiedTrapezoid: [fn.ModifiedTrapezoid(-0.5, 1.8, 3.0, -2.0)],
    fn.ConstantAcceleration: [fn.ConstantAcceleration(-0.5, 1.8),
                              fn.ConstantAcceleration(-0.5, 1.8, 3.0, -2.0, 0.2, 0.3)],
    fn.SevenSegments: [fn.SevenSegments(2.0, 3.0, 2.5, 9.0, -0.5), fn.SevenSegments(-8.0, 3.0, 9.0, 40.0, -0.7, 1.0)],
    fn.Step: [fn.Step(0.55, 2.0, -1.0)],
    fn.Pulse: [fn.Pulse(0.1, 1.1, 4.0, 0.5)],
    fn.RampPulse: [fn.RampPulse(0.1, 1.1, 4.0, 0.5, -1.0)],
    fn.PiecewisePolynomial: [fn.PiecewisePolynomial(X, ROWS, outside) for outside in
                             ("hold", "straight", "extend", "repeat", "rise", ("hold", "extend"))],
    fn.Pieces: [fn.Pieces([WAVE]), fn.Pieces([1.0, "2*t"], [0.3]), fn.Pieces(["t^2", RISE, WAVE], [0.0, 0.9])],
    fn.Spline: [vc.Spline(X, Y, ends) for ends in fn.ENDS] + [vc.Spline([0, 1], [2, 5])],
    fn.Linear: [fn.Linear(X, Y), fn.Linear(X, Y, "rise")],
    fn.Akima: [fn.Akima(X, Y), fn.Akima(X, Y, ("hold", "straight"))],
    fn.Smoothing: [fn.Smoothing(X, Y), fn.Smoothing(X, Y, 0.1, "extend")],
    fn.BSpline: [fn.BSpline(Y), fn.BSpline(Y, (0, 0, 0, 1, 1.5, 2, 2, 2), 2, "rise")],
    fn.Nurbs: [fn.Nurbs(Y, (1, 2, 0.5, 1, 3)), fn.Nurbs(Y, (1, 2, 0.5, 1, 3), (0, 0, 0, 1, 1.5, 2, 2, 2), 2, "repeat")],
    fn.Recorded: [fn.Recorded(Run(), name) for name in ("b.x", "b.vx", "O.angle", "energy.total")],
    fn.Expression: [vc.Expression("A*sin(w*t) + step(t - 0.5)*t", A=2.0, w=3.0)],
    fn.Combined: [WAVE + 2, 3 - RISE * WAVE, WAVE / (2 + RISE), RISE(WAVE), vc.Spline(X, Y)(1 - WAVE(RISE)),
                  -(WAVE**2)],
    fn.Traced: [fn.Traced(lambda t: 3 * math.sin(2 * t) * np.exp(-t / 3) + WAVE(t * t) + max(t, 0.4) % 0.3)],
    fn.Shifted: [fn.Shifted(RISE, 0.3, -1.0)],
    fn.Scaled: [fn.Scaled(RISE, 0.7, -2.0)],
    fn.Mirror: [fn.Mirror(RISE, time=0.6), fn.Mirror(WAVE, value=0.3), fn.Mirror(WAVE, 0.2, 0.3)],
    fn.Repeat: [fn.Repeat(RISE, -0.1, 0.75), fn.Repeat(RISE, rise=True)],
    fn.Fillet: [fn.Fillet(WAVE, "2 + t^2", 0.1, 0.9, n) for n in (0, 2, 4)],
    fn.Sequence: [fn.Sequence([RISE, vc.Ramp(2.0), fn.Poly345(3, 4, 5, 1)], [None, 0.5, None], -0.5),
                  fn.Sequence([RISE, WAVE, "t^2"], [None, 0.5, 0.7], -0.5, 0.3, 3)],
}
