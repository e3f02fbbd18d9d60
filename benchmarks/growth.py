"""Cost of one evaluation of accelerations per body, for chains of 1 to 1000 revolute bodies.

python benchmarks/growth.py
"""

from __future__ import annotations

import os

import vincolo as vc
from problems.chain import chain
from results_file import write
from vincolo_engine import build_model

LENGTHS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
EVALUATED_BODIES = 200_000  # evaluations times bodies in one timing
ROUNDS = 7


def main() -> None:
    print(f"load {os.getloadavg()[0]:.2f}; best of {ROUNDS}, microseconds per evaluation and body")
    rows = [row(links) for links in LENGTHS]
    path = write("growth.json", rows)
    for r in rows:
        print(
            f"{r['bodies']:>5} bodies {r['us_per_evaluation']:>10.3f} us {r['us_per_body']:>8.3f} us per body"
        )
    print(f"written to {path.name}")


def row(links: int) -> dict:
    model = build_model(chain(links))
    system, state = vc.compile(model), vc.assemble(model)
    evaluations = max(10, EVALUATED_BODIES // links)
    seconds = min(system.time_evaluations(state, evaluations) for _ in range(ROUNDS))
    us = 1e6 * seconds / evaluations
    return {"bodies": links, "us_per_evaluation": us, "us_per_body": us / links}


if __name__ == "__main__":
    main()
