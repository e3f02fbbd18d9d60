"""How long a large workbook takes: 200 bodies and 300 joints, written, opened, closed and counted."""

import tempfile
import time
from pathlib import Path

import vincolo as vc

COLUMNS, ROWS = 100, 2  # a ladder of bars: two rows of bodies, joints along the rows and across


def ladder() -> vc.Model:
    """Two hanging rows of bars, tied to each other by bars of springs and ball joints at every step."""
    m = vc.Model("ladder")
    before = [m.ground, m.ground]
    for k in range(COLUMNS):
        row = [m.body(f"bar_{j}_{k}", 1.0, 0.01, (k + 0.5, 0.5 * j, 0)) for j in range(ROWS)]
        for j in range(ROWS):
            m.revolute(f"pin_{j}_{k}", before[j], row[j], (k, 0.5 * j, 0), "y")
        m.distance(f"tie_{k}", row[0].frame((k + 0.9, 0, 0)), row[1].frame((k + 0.9, 0.5, 0)))
        before = row
    return m


def main() -> None:
    """Prints CPU times."""
    model = ladder()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ladder.xlsx"
        clock = time.process_time()
        vc.save_model(model, path)
        wrote = time.process_time()
        document = vc.open_model(path)
        opened = time.process_time()
        freedom = vc.mobility(vc.assemble(document.system))
        counted = time.process_time()
    print(f"{len(model.bodies)} bodies, {len(model.joints)} joints: {freedom.dof} freedoms, "
          f"{freedom.redundant} redundant")
    print(f"write {wrote - clock:.2f} s, open {opened - wrote:.2f} s, close and count {counted - opened:.2f} s CPU")


if __name__ == "__main__":
    main()
