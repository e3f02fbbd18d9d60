"""An independent judge of linearize(): A from differences of accelerations, constraints and Jacobians of nearby states.

Nothing of the package's derivatives is used: only J, the residual of velocities and the accelerations of states near
the motion. The basis (N, E) follows the motion by the rule that the documents state, Z' = W x Z - J^+ (J' Z + J (W x
Z)), integrated here; du = Z z' + E e' + (Z' + E') + dtheta x w has e' from the constraints of velocities, and
du' = Z z'' + ... gives xi''."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import vincolo as vc

REACH = 4e-3  # rad, and share of a length: how far a difference in time goes
EPS = 2e-4  # rad, and share of a length and of a speed, of a deviation
AGREE = 1e-6
ROUNDED = 1e-6  # share of g/length below which a rate of acceleration is rounding


def central(f, h):
    """f'(0) to the sixth order."""
    d = [f(k * h) - f(-k * h) for k in (1, 2, 3)]
    return (45 * d[0] - 9 * d[1] + d[2]) / (60 * h)


def slopes(f, h):
    """f'(0) by several differences: central ones of three reaches, since laws of v |v| need a short one, and one-sided
    ones for the sides of a kink (a contact that just touches, a knot of a table)."""
    def one_sided(h):
        y = [f(k * h) for k in range(5)]
        return (-25 * y[0] + 48 * y[1] - 36 * y[2] + 16 * y[3] - 3 * y[4]) / (12 * h)
    found = [central(f, h), central(f, h / 30), central(f, h / 1000)]
    return np.array(found + [one_sided(s) for s in (h / 30, -h / 30, h / 1000, -h / 1000)])


@dataclass
class Reference:
    """The motion through a state, to the third order in time."""

    state: vc.State
    axes: np.ndarray  # (bodies, 3)

    def __post_init__(self):
        self.n = len(self.state.system.centred)
        self.u = self.state.y[:13 * self.n].reshape(self.n, 13)[:, 7:13].ravel().copy()
        self.length = max(c.length for c in self.state.system.centred)
        self.weight = np.tile([1, 1, 1, *[self.length] * 3], self.n)
        self.du = acceleration(self.state)
        self.rate = max(np.abs(self.u * self.weight).max(), 1e-300) / self.length
        fall = np.sqrt(np.abs(self.du * self.weight).max() / self.length)
        self.h = REACH / max(self.rate, fall, 1e-3)
        ends = [acceleration(self.taylor(h)) for h in (self.h, -self.h)] if self.u.any() else [self.du, self.du]
        self.ddu = (ends[0] - ends[1]) / (2 * self.h)
        levels = [row.level for row in self.state.system.rows]
        self.velocity = np.array([level == "velocity" for level in levels], dtype=bool)

    def taylor(self, tau, third=0.0):
        """The state at another time near by; dtheta and w in world axes: (w' + w x w'/2 ...) to the third order."""
        place = tau * self.u + tau**2 / 2 * self.du + tau**3 / 6 * third
        if np.ndim(third):  # rotation vector of a changing w: the commutator term of Magnus
            w, a = (x.reshape(-1, 2, 3)[:, 1] for x in (self.u, self.du))
            place.reshape(-1, 2, 3)[:, 1] += tau**3 / 12 * np.cross(a, w)
        return moved(self.state, place, self.u + tau * self.du + tau**2 / 2 * third, tau)

    def at(self, tau):
        return self.taylor(tau, self.ddu)

    def J(self, tau=0.0):
        return self.at(tau).jacobian()[0]


def acceleration(state):
    return state.solve().acceleration.ravel()[:6 * len(state.system.centred)].copy()


def moved(state, dq, u, tau=0.0):
    """A state after a displacement, with other velocities, at another time, with its angles counted on."""
    out = state.displaced(dq)
    y, n = out.y.copy(), len(state.system.centred)
    y[:13 * n].reshape(n, 13)[:, 7:13] = u.reshape(n, 6)
    turns = np.array(state.system.kernel.turns_at(state.t + tau, y.tolist(), state.turns.tolist()))
    return vc.State(state.system, state.t + tau, y, np.where(np.isfinite(turns), turns, state.turns))


def cross(axes, Z):
    parts = Z.reshape(len(axes), 2, 3, -1)
    return np.stack([[np.cross(w, p.T).T for p in part] for w, part in zip(axes, parts, strict=True)]).reshape(Z.shape)


def spin(Z, u):
    """dtheta x w of every column."""
    out, w = np.zeros_like(Z), u.reshape(-1, 6)[:, 3:]
    for k, rate in enumerate(w):
        out[6 * k + 3: 6 * k + 6] = np.cross(Z[6 * k + 3: 6 * k + 6].T, rate).T
    return out


def basis_rate(ref, tau, Z, extra):
    """The rule of the basis; its last `extra` columns keep the constraints of positions alone."""
    if not ref.u.any():
        return np.zeros_like(Z)
    turned = cross(ref.axes, Z)
    J = ref.J(tau) / ref.weight
    change = central(lambda s: ref.J(tau + s) @ Z, ref.h) + J @ (turned * ref.weight[:, None])
    if extra:
        change[np.ix_(ref.velocity, range(Z.shape[1] - extra, Z.shape[1]))] = 0.0
    return turned - np.linalg.lstsq(J, change, rcond=1e-9)[0] / ref.weight[:, None]


def basis_at(ref, tau, Z, extra):
    """The basis at another time, by a step of Runge and Kutta of the fourth order."""
    if not tau or not ref.u.any():
        return Z
    a = basis_rate(ref, 0.0, Z, extra)
    b = basis_rate(ref, tau / 2, Z + tau / 2 * a, extra)
    c = basis_rate(ref, tau / 2, Z + tau / 2 * b, extra)
    d = basis_rate(ref, tau, Z + tau * c, extra)
    return Z + tau / 6 * (a + 2 * b + 2 * c + d)


def velocities_of(ref, tau, Z, extra):
    """U with du = Z z' + U (z, e), and e' by (z, e)."""
    state, u = ref.at(tau), ref.u + tau * ref.du + tau**2 / 2 * ref.ddu
    U = basis_rate(ref, tau, Z, extra) + spin(Z, u)
    slip = np.zeros((extra, Z.shape[1]))
    if extra:
        E, J = Z[:, Z.shape[1] - extra:], state.jacobian()[0][ref.velocity]
        for k, column in enumerate(Z.T):
            h = EPS / max(np.abs(column * ref.weight).max() / ref.length, 1e-300)
            open_by = central(lambda s, c=column, k=k: moved(state, s * c, u + s * U[:, k]).jacobian()[1]["rate"], h)
            slip[:, k] = -np.linalg.lstsq(J @ E, open_by[ref.velocity], rcond=1e-9)[0]
        U = U + E @ slip
    return U, slip


def by_differences(linear):
    """xi'' and e' by (xi, e) and xi', from differences."""
    ref = Reference(linear.state, linear.axes)
    n, extra = linear.mass.shape[0], linear.beyond.shape[2]
    Z = np.hstack([linear.basis.reshape(6 * ref.n, n), linear.beyond.reshape(6 * ref.n, extra)])
    U, slip = velocities_of(ref, 0.0, Z, extra)
    still = not ref.u.any() and not ref.du.any()
    U_dot = 0 * U if still else central(lambda s: velocities_of(ref, s, basis_at(ref, s, Z, extra), extra)[0], ref.h)
    Z_dot = basis_rate(ref, 0.0, Z, extra)[:, :n]
    speed = max(ref.rate, 1.0)

    def change(dq, du):
        size = max(np.abs(dq * ref.weight).max() / ref.length, np.abs(du * ref.weight).max() / ref.length / speed)
        h = EPS / max(size, 1e-300)
        return slopes(lambda s: acceleration(moved(ref.state, s * dq, ref.u + s * du)), h)

    by_place = np.array([change(dq, du) for dq, du in zip(Z.T, U.T, strict=True)]).transpose(1, 2, 0)
    by_rate = np.array([change(0 * dq, dq) for dq in Z[:, :n].T]).transpose(1, 2, 0)
    left = by_place - U_dot - U[:, n:] @ slip, by_rate - Z_dot - U[:, :n]
    back = np.linalg.pinv(ref.weight[:, None] * Z)[:n] * ref.weight
    solved = [back @ x for x in left]
    pace = max(ref.rate, np.sqrt(np.abs(ref.du * ref.weight).max() / ref.length))
    return pace, solved[0], solved[1], slip, *_of_states(linear, ref, Z, U)


def _of_states(linear, ref, Z, U):
    """xi'' by the model's states; their rates by positions, velocities and themselves."""
    n, numbers = linear.mass.shape[0], [ref.state.system.auxiliaries[name] for name in linear.states]
    start = 13 * ref.n + 1

    def rates(state):
        slope, *_ = state.system.kernel.slope(state.t, state.y.tolist(), state.turns.tolist())
        return np.asarray(slope)[start:][numbers]

    def of(k, s):
        y = ref.state.y.copy()
        y[start + numbers[k]] += s
        return ref.state.with_vector(y)

    if not numbers:
        return np.zeros((n, 0)), np.zeros((0, Z.shape[1] + n))
    sizes = [1e-4 * max(1.0, abs(ref.state.y[start + number])) for number in numbers]
    pushes = np.array([central(lambda s, k=k: acceleration(of(k, s)), h) for k, h in enumerate(sizes)]).T
    motions = [*zip(Z.T, U.T, strict=True), *((0 * z, z) for z in Z[:, :n].T)]
    moving = [central(lambda s, dq=dq, du=du: rates(moved(ref.state, s * dq, ref.u + s * du)), EPS)
              for dq, du in motions]
    weigh = ref.weight[:, None]
    own = [central(lambda s, k=k: rates(of(k, s)), h) for k, h in enumerate(sizes)]
    return np.linalg.lstsq(weigh * Z, weigh * pushes, rcond=None)[0][:n], np.array([*moving, *own]).T


def complaints_of_linear(linear, agree=AGREE):
    """Where A differs from differences by more than a share of its largest entries."""
    n, extra, states = linear.mass.shape[0], linear.beyond.shape[2], len(linear.states)
    first = 2 * n + states
    places, rates = [*range(n), *range(first, first + extra)], [*range(n, 2 * n)]
    pace, by_place, by_rate, slip, pushes, of_states = by_differences(linear)
    A, said = linear.A, []
    blocks = (("xi'' by positions", A[n:2 * n][:, places], by_place),
              ("xi'' by velocities", A[n:2 * n][:, rates], by_rate),
              ("e' by positions", A[first:][:, places], slip), ("xi'' by states", A[n:2 * n, 2 * n:first], pushes),
              ("rates of states", A[2 * n:first][:, [*places, *rates, *range(2 * n, first)]], of_states))
    pace = max(pace, np.sqrt(np.abs(by_place[0]).max(initial=0.0)), np.abs(by_rate[0]).max(initial=0.0))
    fall = np.linalg.norm(linear.state.system.model.gravity) / max(c.length for c in linear.state.system.centred)
    sizes = {"xi'' by positions": max(pace**2, ROUNDED * fall), "xi'' by velocities": pace, "e' by positions": pace}
    for name, found, expected in blocks:
        several = expected if expected.ndim == 3 else expected[None]
        scale = max(np.abs(several[0]).max(initial=0.0), sizes.get(name, 0.0), 1e-9)
        off = np.abs(found - several).max(axis=1, initial=0.0).min(axis=0, initial=np.inf).max(initial=0.0) / scale
        if not off <= agree:
            said.append(f"{name} differs by {off:.2g} of its largest entry from differences of accelerations")
    return said
