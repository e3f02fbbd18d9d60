"""A formulation of one's own in a few lines: Gauss's principle of least constraint with a Tikhonov term.

The idea to try: instead of finding out which rows are redundant, add a little to the diagonal of J M^-1 J^T and
take the damage back by repeating.

Source: the slider-crank of Oldani, doctoral thesis, University of Bergamo (2010). With revolute joints it has two
redundant rows. The slider must be within 1e-5 m of x = 2.00589803454 m after 5 s, the value that an equation in
the crank's angle alone gives.
"""

import numpy as np

import vincolo as vc
from comparison import compare
from slider_crank import build

REFERENCE = 2.00589803454


def regularised(M, J, gamma, Q, Phi, Phi_dot):
    """(S + eps) lam <- J a_free - gamma + eps lam, three times."""
    free = np.linalg.solve(M, Q)
    weighed = np.linalg.solve(M, J.T)
    S = J @ weighed
    eps = 1e-7 * np.trace(S) / len(S)
    inverse = np.linalg.inv(S + eps * np.eye(len(S)))
    lam = np.zeros(len(S))
    for _ in range(3):
        lam = inverse @ (J @ free - gamma + eps * lam)
    return free - weighed @ lam, lam


def main() -> list[float]:
    result = vc.simulate(build("revolute"), until=5.0, integrator=vc.integrators.RK4(step=1e-3),
                         formulation=regularised)
    print(result)
    return [compare("slider x at 5 s, own formulation", result["slider.x"][-1], REFERENCE, "m")]


if __name__ == "__main__":
    main()
