"""A fuzzer guided by coverage: inputs that reach lines in a new order are kept, and changed further.

A worker process changes files and reads them, under limits of time and memory and watched for everything that a reader
must not do. It writes down each input first, so that the process that started it knows what made it crash.
"""

import faulthandler
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from guard import Case, Coverage, Target, TooLong, Watch, limits, refusal
from mutations import mutated

FOLLOWED = 0.3  # of the inputs, line by line, which takes five times as long


def put(folder: Path, case: Case) -> None:
    """Writes the files of a case into a folder that has nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in case.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Worker:
    """Changes and reads inputs until the time is over."""

    def __init__(self, folder: Path, targets: list[Target], seed: int) -> None:
        self.folder, self.targets, self.rng = folder, targets, random.Random(seed)
        self.watch, self.coverage, self.runs, self.failures = Watch(), Coverage(), 0, set()
        self.corpus = {target.name: list(target.seeds) for target in targets}
        self.enter()

    def enter(self) -> None:
        """Works in an empty folder, in which nothing must appear."""
        (self.folder / "empty").mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder / "empty")

    def judged(self, target: Target, case: Case, traced: bool = True) -> tuple[str, str] | None:
        """What a reader does wrong with a case: in a few words, and at length."""
        error = self.read(target, case, traced)
        if self.watch.seen or (isinstance(error, TooLong) and traced):
            error = self.read(target, case, traced=False)  # imports are done now, and tracing takes time itself
        wrong = refusal(error, target) if error is not None else None
        left = os.listdir()
        if self.watch.seen or left:
            wrong = f"did more than read: {[*self.watch.seen, *left][0]}"
            shutil.rmtree(self.folder / "empty", ignore_errors=True)
            self.enter()
        trace = "".join(traceback.format_exception(error)) if error is not None else ""
        return None if wrong is None else (wrong, f"{wrong}\n{trace[-20_000:]}")

    def read(self, target: Target, case: Case, traced: bool) -> BaseException | None:
        """Lets a reader read a case; what it raises."""
        put(self.folder / "input", case)
        (self.folder / "target").write_text(target.name)
        with warnings.catch_warnings(), limits():
            warnings.simplefilter("ignore")
            self.watch.seen.clear()
            self.coverage.calls.clear()
            try:
                sys.settrace(self.coverage if traced else None)
                self.watch.on = True
                target.read(self.folder / "input")
            except BaseException as caught:
                return caught
            finally:
                self.watch.on = False
                sys.settrace(None)
        return None

    def run(self, seconds: float, once: bool = False) -> None:
        """Reads all seeds, then changes of what is interesting; `once`: until every reader has failed."""
        for target in self.targets:
            for case in target.seeds:
                self.take(target, case)
        end, said = time.monotonic() + seconds, 0.0
        while time.monotonic() < end and not (once and len({name for name, _ in self.failures}) == len(self.targets)):
            target = self.rng.choice(self.targets)
            self.take(target, self.changed(target), self.rng.random() < FOLLOWED)
            if time.monotonic() > said + 1.0:
                self.say(runs=self.runs, edges=len(self.coverage.edges))
                said = time.monotonic()

    def changed(self, target: Target) -> Case:
        """One file of a case changed; now and then one left out."""
        cases = self.corpus[target.name]
        case = dict(self.rng.choice(cases[-30:] if self.rng.random() < 0.3 else cases))
        name = self.rng.choice(list(case))
        if "/" in name and self.rng.random() < 0.02:
            del case[name]
            return case
        donors = [other[name] for other in self.rng.choices(cases, k=5) if name in other] or [case[name]]
        case[name] = mutated(self.rng, name, case[name], donors[0])
        return case

    def take(self, target: Target, case: Case, traced: bool = True) -> None:
        """Reads a case; keeps it if it is interesting, saves it if it is a failure."""
        before = len(self.coverage.edges)
        found = self.judged(target, case, traced)
        self.runs += 1
        if found is not None and (target.name, found[0]) not in self.failures:
            self.failures.add((target.name, found[0]))
            slow = found[0].startswith(("TooLong", "MemoryError"))
            small = case if slow else self.shrunk(target, case, found[0])
            place = self.folder / "failures" / f"{len(self.failures)} {target.name} {os.getpid()}"
            put(place, small)
            (place / "why.txt").write_text(found[1], errors="backslashreplace")
            self.say(target=target.name, wrong=found[0], folder=str(place))
        elif found is None and len(self.coverage.edges) > before and len(self.corpus[target.name]) < 3000:
            self.corpus[target.name].append(case)

    def shrunk(self, target: Target, case: Case, wrong: str, tries: int = 300) -> Case:
        """A smaller case that fails in the same way: files and pieces of them left out."""
        end = time.monotonic() + 20
        for name in list(case):
            for size in (1 << k for k in range(len(case.get(name, b"")).bit_length(), -1, -1)):
                at = 0
                while at < len(case[name]) and tries and time.monotonic() < end:
                    smaller = {**case, name: case[name][:at] + case[name][at + size:]}
                    found, tries = self.judged(target, smaller, traced=False), tries - 1
                    case, at = (smaller, at) if found and found[0] == wrong else (case, at + size)
        return case

    def say(self, **facts: Any) -> None:
        """One line for the process that started this one."""
        sys.__stdout__.write(json.dumps(facts) + "\n")
        sys.__stdout__.flush()


@dataclass
class Findings:
    """What a campaign found."""

    seed: int
    runs: int = 0
    edges: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, facts: list[dict[str, Any]]) -> None:
        """Counts what a worker said."""
        self.failures += [f"{f['target']}: {f['wrong']}\n  input: {f['folder']}" for f in facts if "wrong" in f]
        self.runs += max((f.get("runs", 0) for f in facts), default=0)
        self.edges = max([self.edges, *(f.get("edges", 0) for f in facts)])

    @property
    def failed(self) -> set[str]:
        """The readers that failed."""
        return {text.partition(":")[0] for text in self.failures}

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}: {self.runs} inputs, {self.edges} steps between lines seen, "
                          f"{len(self.failures)} kinds of failures", *self.failures])


def campaign(folder: Path, names: list[str], seconds: float, seed: int, module: str = "targets",
             once: bool = False) -> Findings:
    """Fuzzes the named targets of a module; a worker that crashes is a finding, and another one goes on. With `once`
    it ends as soon as each of them has failed."""
    found, end, number = Findings(seed), time.monotonic() + seconds, 0
    environment = os.environ | {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
                                "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    while number == 0 or time.monotonic() < end and not (once and found.failed >= set(names)):
        left = max(1.0, end - time.monotonic())
        command = [sys.executable, "-c", "import fuzzer; fuzzer.work()", module, str(folder), str(left), str(int(once))]
        command += [str(seed + number), *names]
        number += 1
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
        if done.returncode and not (folder / "input").exists():
            raise RuntimeError(f"the fuzzer did not begin:\n{done.stderr}")
        found.add([json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")])
        if done.returncode:
            found.failures.append(_crash(folder, number, done))
    return found


def _crash(folder: Path, number: int, done: subprocess.CompletedProcess[str]) -> str:
    """Keeps the input that ended a worker."""
    place = folder / "failures" / f"crash {number}"
    shutil.copytree(folder / "input", place, dirs_exist_ok=True)
    (place / "why.txt").write_text(done.stderr[-20_000:])
    lines = re.findall(r"File \"(.*?)\", line (\d+) in (\w+)", done.stderr)[:1]
    target = (folder / "target").read_text()
    return f"{target}: the interpreter ended with code {done.returncode} {lines}\n  input: {place}"


def work() -> None:
    """The whole of a worker; its arguments are module, folder, seconds, once, seed and names of targets."""
    faulthandler.enable()
    module, home, limit, once, start, *chosen = sys.argv[1:]
    targets: list[Target] = import_module(module).targets(Path(home) / "seeds", chosen)
    Worker(Path(home), targets, int(start)).run(float(limit), once == "1")
