"""Contacts of a model for the kernel: shapes, laws, pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vincolo.errors import ModelError
from vincolo.model.contact import Contact, Side
from vincolo.state import State

if TYPE_CHECKING:
    from vincolo.model import Frame, Model
    from vincolo.system import System

MOST_PAIRS = 2_000_000
DEEP = 0.1  # of the smaller shape: contacts that give way may begin with less


def add_contacts(system: System, model: Model, frame_number: Callable[[Frame], int]) -> None:
    """Numbers of contacts by name, and of their pairs what they are."""
    if not model.contacts:
        return
    joined = {frozenset((j.a.body.name, j.b.body.name)) for j in model.joints.values()}
    numbers: dict[int, int] = {}
    for contact in model.contacts.values():
        law = _add_law(system, contact)
        system.contacts[contact.name] = law
        pairs = contact.pairs(joined)
        if len(system.contact_pairs) + len(pairs) > MOST_PAIRS:
            raise ModelError(f"contact {contact.name!r}: with it there are "
                             f"{len(system.contact_pairs) + len(pairs):,} pairs of shapes; at most {MOST_PAIRS:,} are "
                             "looked at.\n  Make the groups smaller: name who meets whom.")
        for side in contact.sides:
            if id(side) not in numbers:
                numbers[id(side)] = _add_shape(system, side, frame_number(side.frame))
        system.kernel.add_contact_pairs(law, [(numbers[id(p)], numbers[id(q)]) for p, q in pairs])
        system.contact_pairs += [(contact.name, p, q) for p, q in pairs]
    if any(c.rigid for c in model.contacts.values()):
        room = [system.kernel.add_auxiliary(1.0) for _ in range(system.kernel.contact_room())]
        system.kernel.set_contact_room(room[0])


def _add_law(system: System, contact: Contact) -> int:
    linear = contact.law == "linear"
    resistance = [contact.stiffness or 0.0, contact.exponent, contact.chi, contact.damping if linear else 0.0]
    rebound = contact.restitution or 0.0 if contact.rigid else 0.0
    return int(system.kernel.add_contact_law(contact.rigid, resistance, [contact.friction, contact.creep, rebound]))


def _add_shape(system: System, side: Side, frame: int) -> int:
    form = side.form
    corners = [] if form.corners is None else form.corners.ravel().tolist()
    return int(system.kernel.add_contact_shape(frame, form.kind, list(form.size), corners,
                                               [list(face) for face in form.faces], form.closed))


def refuse_overlap(who: str, state: State) -> None:
    """Refuses a first start at which bodies are inside one another. Where a run is continued, at a later time, the
    depth of a compliant contact is part of its state, and what rigid contact leaves is parted in the first step."""
    system = state.system
    if not system.contacts or state.t > 0:
        return
    numbers, places = system.kernel.touches(state.t, state.y.tolist(), state.turns.tolist(), 0.0)
    slack = 1e-6 * system.extent
    for (_, pair), place in zip(numbers, places, strict=True):
        name, p, q = system.contact_pairs[pair]
        rigid = system.model.contacts[name].rigid
        sizes = [size for side in (p, q) if (size := _size(side))]
        if -place[6] > (slack if rigid else max(slack, DEEP * min(sizes, default=system.extent))):
            where = ", ".join(f"{x:.4g}" for x in place[:3])
            raise ModelError(f"{who}: at the start, the {p.told} and the {q.told} overlap by {-place[6]:.4g} m at "
                             f"({where}), in contact {name!r}.\n  Draw them apart, or leave the pair out of the "
                             "contact.")


def _size(side: Side) -> float:
    """Half of its smallest extent [m]; 0 of a plane."""
    if side.form.corners is not None:
        return float((side.form.corners.max(axis=0) - side.form.corners.min(axis=0)).max()) / 2
    return min(side.form.size, default=0.0)


def refuse_rigid(who: str, system: System, way: str) -> None:
    """Refuses rigid contact where an analysis or integrator does not know it."""
    rigid = [c.name for c in system.model.contacts.values() if c.rigid]
    if rigid:
        raise ModelError(f"{who}: contact {rigid[0]!r} is rigid: it {way}.\n"
                         "  Take simulate() with integrator=vincolo.integrators.Moreau(step=...), or give the contact "
                         "stiffness=.")
