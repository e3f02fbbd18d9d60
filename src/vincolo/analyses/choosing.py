"""Which integrator, formulation and stabilisation a run is made with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vincolo.errors import ModelError
from vincolo.touching import refuse_rigid

if TYPE_CHECKING:
    from vincolo.solvers import Formulation, Integrator, Stabilisation
    from vincolo.state import State


@dataclass(frozen=True)
class Chosen:
    """Solvers that go together."""

    integrator: Integrator
    stabilisation: Stabilisation
    formulation: Formulation
    tree: bool  # joint coordinates were chosen, since the joints form a tree
    automatic: bool  # nobody asked for a formulation or stabilisation

    def options(self) -> dict[str, Any]:
        """As the kernel takes them."""
        return {"integrator": self.integrator.options(), "stabilisation": self.stabilisation.options(),
                "formulation": self.formulation.options()}

    @property
    def kind(self) -> str:
        """The kind of the formulation if it was chosen automatically, for states to keep; nothing otherwise."""
        return self.formulation.kind if self.automatic else ""

    @property
    def told(self) -> str:
        """The formulation in words."""
        return f"{self.formulation}{', since the joints form a tree' if self.tree else ''}"


def chosen(who: str, start: State, integrator: Any, stabilisation: Any, formulation: Any, *,
           restarts: bool = False) -> Chosen:
    """The solvers that are asked for, or the usual ones, for a run from a start; refuses what cannot go together. With
    `restarts` states must be all that a run remembers; runs that continue such a run take what it took."""
    from vincolo.solvers import Integrator, Stabilisation, integrators
    from vincolo.solvers.formulations import JointCoordinates, as_formulation

    formulated, system = as_formulation(formulation), start.system
    solver = integrator or (integrators.Auto() if formulated.kind == "sparse" else integrators.DormandPrince())
    stabiliser = formulated.default_stabilisation() if stabilisation is None else stabilisation
    if not isinstance(solver, Integrator) or not isinstance(stabiliser, Stabilisation):
        raise ModelError(f"{who}: integrator= and stabilisation= take objects such as "
                         "vincolo.integrators.RK4(step=1e-3) and vincolo.stabilisations.Projection().")
    automatic = formulation is None and stabilisation is None
    restarts = restarts or start.formulation == "sparse"
    tree = automatic and not restarts and JointCoordinates.pays(system, solver)
    if tree:
        formulated, stabiliser = JointCoordinates(), JointCoordinates().default_stabilisation()
    formulated.check(solver, stabiliser)
    solver.check(stabiliser, system)
    if not solver.row.jumps:
        refuse_rigid(who, system, f"lets velocities jump, which {solver.title} cannot follow")
    formulated.check_system(system)
    if system.reacting and not _finds_reactions(solver):
        raise ModelError(f"{who}: {system.reacting[0]!r} reads reactions, which are found together with it where steps "
                         f"ask for accelerations; {solver.title} holds joints by their {_held(solver)}.\n"
                         "  Leave integrator= out; of implicit ones take Radau() (index 1), BDF(), Rosenbrock() or "
                         "LinearlyImplicitEuler(),\n  or let the law read a sensor: model.sensor('load', "
                         "'O.reaction.force').")
    return Chosen(solver, stabiliser.for_step(solver.fixed_step), formulated, tree, automatic)


def _finds_reactions(solver: Integrator) -> bool:
    """Whether a method asks for accelerations alone, with which reactions and the laws that read them are found."""
    return not solver.implicit or solver.method == "automatic" or (
        solver.method in ("radau", "bdf", "rosenbrock", "linearly_implicit_euler") and getattr(solver, "index", 1) == 1)


def _held(solver: Integrator) -> str:
    return "velocities" if getattr(solver, "index", 3) == 2 else "positions"
