"""The sweep over alpha and Omega of the augmented Lagrangian on the pendulum A01 (Carvalho, Table 4.6)."""

from __future__ import annotations

import vincolo as vc
from compared.cases import carvalho_pendulum
from compared.runs import Setting, measure
from compared.tables import markdown, section

ALPHAS = (1e4, 1e5, 1e6, 1e7, 1e8)
OMEGAS = (0.0, 10.0, 50.0, 100.0, 300.0)
# Table 4.6: largest difference of y [%]; "DNC": did not converge
PRINTED = {
    1e6: {300.0: "DNC", 100.0: "DNC", 50.0: "4.571"},
    1e7: {300.0: "0.5878", 100.0: "1.722", 50.0: "4.571"},
    1e8: {300.0: "0.5878", 100.0: "1.722", 50.0: "4.571"},
}  # fmt: skip


def pendulum_sweep(quick: bool) -> str:
    """Section f."""
    case = carvalho_pendulum()
    rows: list[list[object]] = []
    for alpha in ALPHAS:
        for omega in OMEGAS:
            f = vc.AugmentedLagrangian(alpha=alpha, omega=omega)
            m = measure(case, Setting(f, vc.DormandPrince(rtol=1e-6, atol=1e-6), vc.NoStabilisation()))
            rows.append([f"{alpha:g}", f"{omega:g}", PRINTED.get(alpha, {}).get(omega), m.error, m.position_residual,
                         m.iterations, m.evaluations, m.outcome[:90]])
    return section(
        "f. alpha and Omega on the pendulum A01 (Carvalho, Table 4.6)",
        "Carvalho's two bodies in SI units, 10 s, g = 9.80665 m/s^2, mu = 1, Dormand-Prince with tolerances of 1e-6 in "
        "place of ode113, no projection. The printed figures are differences of y from another program in per cent; "
        "ours is the largest difference of y from the one-coordinate solution in m (1 % is about 1e-2 m).",
        markdown(("alpha", "Omega [1/s]", "printed [%]", "max abs dy [m]", "max abs Phi", "iterations, mean",
                  "evaluations", "outcome"), rows))
