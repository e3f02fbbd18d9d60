"""Pieces of datasets of Adams Solver, and a reader of them."""

from vincolo.formats.adams import read_adm

SI = "UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\n"
GROUND = "PART/1, GROUND\nMARKER/1, PART=1\n"


def part(number, at=(0, 0, 0), mass=2.0, inertia="0.3, 0.4, 0.5"):
    """A part with its centre of mass, marker 10 number, at a point; markers are given in the part, at the origin."""
    x, y, z = at
    return (f"PART/{number}, MASS={mass}, CM={10 * number}, IP={inertia}\n"
            f"MARKER/{10 * number}, PART={number}, QP={x}, {y}, {z}\n")


def reader(folder):
    """Reads a dataset from its statements; a title is put before them."""
    def read(text, title="ADAMS/View model name: test\n"):
        path = folder / "model.adm"
        path.write_text(title + text)
        return read_adm(path)
    return read
