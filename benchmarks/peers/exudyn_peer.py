"""Exudyn: forms "3d" (rigid bodies, Euler parameters), "2d" (planar bodies), "tree" (joint coordinates, open
chains of hinges only); methods ga (generalised alpha, index 3), ti2 (trapezoidal, index 2), rk44 and dopri5
(explicit, without constraints).
"""

from __future__ import annotations

import sys
import time

import numpy as np

from engine import Configuration, Run, at_samples
from peers.exudyn_forms import BUILDERS
from problems.description import Problem

sys.exudynFast = True  # selects the build without range checks; must precede the import

import exudyn as exu  # noqa: E402

exu.config.printToConsole = False
exu.config.suppressWarnings = True

NAME = "exudyn"
SOLVERS = {
    "ga": exu.DynamicSolverType.GeneralizedAlpha,
    "ti2": exu.DynamicSolverType.TrapezoidalIndex2,
    "rk44": exu.DynamicSolverType.RK44,
    "dopri5": exu.DynamicSolverType.DOPRI5,
}
SPARSE_FROM = 20  # bodies
SMALLEST_STEP = 1 / 64  # of the step: a run that fails should fail early instead of creeping

# Newton variants: Jacobian once per step; loose tolerance; looser still; full Newton at a loose tolerance
PER_STEP = {"newton": "per_step"}
LOOSE = {"newton": "loose"}
LOOSER = {"newton": "looser"}
FULL = {"newton": "full"}
SINGULAR = {"singular": "accept"}  # full pivoting, for redundant rows


def configurations(problem: Problem) -> list[Configuration]:
    """Those that did best in earlier explorations, winners first."""

    def ga(form: str, coarsest: float = 1, **options: str) -> Configuration:
        return Configuration("ga", "step", form, options, coarsest)

    def ti2(form: str, coarsest: float = 1, **options: str) -> Configuration:
        return Configuration("ti2", "step", form, options, coarsest)

    rk44, dopri5 = Configuration("rk44", "step", "tree"), Configuration("dopri5", "tolerance", "tree")
    return {
        "A01": [rk44, dopri5, ga("2d", **PER_STEP)],
        "A02_2": [ga("2d", **FULL, **SINGULAR), ga("2d", **PER_STEP), ti2("2d", **PER_STEP, **SINGULAR)],
        "A02_40": [ga("2d", **PER_STEP), ga("2d", **FULL)],
        "A03": [ga("2d", **FULL), ti2("2d", **FULL), ga("2d", **PER_STEP), ti2("2d", **PER_STEP)],
        "A04": [ga("3d", **LOOSE, **SINGULAR), ti2("3d", **LOOSE, **SINGULAR), ga("3d", **PER_STEP)],
        "A05": [ga("3d", **PER_STEP), ga("3d", **LOOSE), ti2("3d", **PER_STEP)],
        "slidercrank": [ti2("3d", **PER_STEP), ti2("3d", **LOOSE), ga("3d", **PER_STEP), ga("3d", **LOOSE)],
        "wishbone": [ga("3d", **LOOSE), ti2("3d", **LOOSE), ga("3d")],
        "mcpherson": [method("3d", 0.25, **newton) for newton in (LOOSER, LOOSE) for method in (ti2, ga)],
        "bushings": [method("3d", **newton) for newton in (LOOSER, LOOSE) for method in (ga, ti2)],
        "chain_10": [rk44, ga("tree", **PER_STEP), ga("2d", **PER_STEP)],
        "chain_100": [rk44, ga("2d", **PER_STEP), ga("2d", **LOOSE)],
        "chain_1000": [Configuration("ga", "step", "2d", LOOSE, coarsest=5)],
    }[problem.name]


class Simulation:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.systems: dict[str, tuple] = {}

    def run(self, configuration: Configuration, value: float) -> Run:
        form = configuration.form
        if form not in self.systems:
            self.systems[form] = self._assembled(form)
        _, system, sensor = self.systems[form]
        settings = self._settings(configuration, value)
        try:
            started = time.process_time()
            system.SolveDynamic(settings, solverType=SOLVERS[configuration.method])
            cpu = time.process_time() - started
        except Exception:
            del self.systems[form]  # a failed run may leave anything behind
            raise
        record = np.array(system.GetSensorStoredData(sensor))
        return Run(cpu, at_samples(self.problem, record[:, 0], record[:, 1:4]))

    def _assembled(self, form: str) -> tuple:
        """The container (which must be kept alive), the system and the tracked point's sensor."""
        container = exu.SystemContainer()
        system = container.AddSystem()
        sensor = BUILDERS[form](system, self.problem)
        system.Assemble()
        return container, system, sensor

    def _settings(self, configuration: Configuration, value: float) -> exu.SimulationSettings:
        settings = exu.SimulationSettings()
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = self.problem.interval
        settings.displayComputationTime = settings.displayStatistics = False
        settings.parallel.numberOfThreads = 1
        integration = settings.timeIntegration
        integration.verboseMode = 0
        integration.endTime = self.problem.duration
        integration.generalizedAlpha.spectralRadius = 0.9
        integration.generalizedAlpha.computeInitialAccelerations = True
        self._set_accuracy(integration, configuration, value)
        self._set_newton(integration.newton, configuration.options.get("newton"))
        self._set_linear_solver(settings.linearSolver, configuration.options.get("singular") == "accept")
        return settings

    def _set_accuracy(self, integration, configuration: Configuration, value: float) -> None:
        step = value if configuration.control == "step" else self.problem.interval
        integration.numberOfSteps = round(self.problem.duration / step)
        integration.minimumStepSize = SMALLEST_STEP * step
        if configuration.control == "tolerance":
            integration.automaticStepSize = True
            integration.relativeTolerance = integration.absoluteTolerance = value

    @staticmethod
    def _set_newton(newton, variant: str | None) -> None:
        newton.useModifiedNewton = variant != "full"
        if variant == "per_step":
            newton.modifiedNewtonJacUpdatePerStep = True
        elif variant == "loose":
            newton.relativeTolerance, newton.absoluteTolerance = 1e-5, 1e-8
        elif variant == "looser":
            newton.relativeTolerance, newton.absoluteTolerance = 1e-4, 1e-6
        elif variant == "full":
            newton.relativeTolerance, newton.absoluteTolerance = 1e-4, 1e-7

    def _set_linear_solver(self, linear_solver, accept_singular: bool) -> None:
        kinds = exu.LinearSolverType
        sparse = len(self.problem.bodies) > SPARSE_FROM
        linear_solver.solverType = kinds.EigenSparse if sparse else kinds.EigenDense
        linear_solver.ignoreSingularJacobian = accept_singular
