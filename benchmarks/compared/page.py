"""The table of formulations as one page that needs nothing else: sortable, with filters, failures in colour."""

from __future__ import annotations

import os
import platform
from html import escape
from string import Template

# name: (unit, what it is)
COLUMNS = {
    "problem": ("", "the mechanism"),
    "redundant rows": ("", "conditions of the joints that say again what others say, at the start"),
    "formulation": ("", "how accelerations are found from M u' + J^T lam = Q, J u' = gamma"),
    "coordinates": ("", "twist: 6 velocities per body; Euler parameters: 7; natural: 12"),
    "stabilisation": ("", "what keeps the joints closed"),
    "integrator": ("", "method in time"),
    "step": ("s", "size of the fixed step, or the tolerance of an adaptive integrator"),
    "CPU time": ("s", "of the whole run, one thread, best of three (one above 0.08 s); only where the motion is right"),
    "real-time factor": ("", "simulated time by CPU time: above 1 is faster than real time"),
    "worst single step": ("s", "CPU time of the slowest step after the start; best of as many runs as the CPU time"),
    "trajectory error": ("m", "largest distance of the tracked point from the reference, up to where the run came"),
    "position residual": ("m, rad", "largest |Phi| at the end of a step, after corrections"),
    "velocity residual": ("m/s, rad/s", "largest |J u - nu| at the end of a step, before velocities are corrected"),
    "energy drift": ("", "largest imbalance of energy and work by the energy in motion"),
    "iterations": ("", "mean number per evaluation, of formulations that iterate"),
    "most iterations": ("", "largest number in one evaluation"),
    "decompositions": ("", "of the Jacobian, of formulations that count them"),
    "outcome": ("", "ok; far off: ran to the end, but is more than a tenth of its size away; otherwise why it failed"),
}
FILTERS = ("problem", "formulation", "coordinates", "stabilisation", "integrator")

Row = dict[str, object]


def html(rows: list[Row]) -> str:
    """The whole page."""
    counted = {kind: sum(tone(r) == kind for r in rows) for kind in ("ok", "off", "failed")}
    explained = "\n".join(f"<dt>{name}{f' [{unit}]' if unit else ''}</dt><dd>{escape(text)}</dd>"
                          for name, (unit, text) in COLUMNS.items())
    heads = "".join(f'<th title="{escape(text)}" tabindex="0">{name}{f"<small>{unit}</small>" if unit else ""}</th>'
                    for name, (unit, text) in COLUMNS.items())
    machine = f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"
    return PAGE.substitute(counted, total=len(rows), explained=explained, heads=heads, machine=escape(machine),
                           filters="\n".join(choice(name, rows) for name in FILTERS),
                           body="\n".join(line(r) for r in rows))


def tone(row: Row) -> str:
    """How a row is coloured."""
    return {"ok": "ok", "far off": "off"}.get(str(row["outcome"]), "failed")


def choice(name: str, rows: list[Row]) -> str:
    """A list to pick one value of a column from."""
    values = dict.fromkeys(str(r[name]) for r in rows)
    options = "".join(f"<option>{escape(v)}</option>" for v in values)
    column = list(COLUMNS).index(name)
    return f'<label>{name} <select data-column="{column}"><option value="">all</option>{options}</select></label>'


def line(row: Row) -> str:
    """One row; numbers carry their full value for sorting."""
    return f'<tr class="{tone(row)}">' + "".join(cell(row[name]) for name in COLUMNS) + "</tr>"


def cell(value: object) -> str:
    if value is None:
        return '<td class="n"></td>'
    if isinstance(value, int | float):
        return f'<td class="n" data-v="{value!r}">{number(value)}</td>'
    return f"<td>{escape(str(value))}</td>"


def number(value: float) -> str:
    """Three digits, powers of ten only where they help."""
    if isinstance(value, int):
        return f"{value:d}"
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.3g}"
    return f"{value:.1e}"


PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Formulations compared</title>
<style>
:root { color-scheme: light; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em; color: #1c2330; background: #fff; }
h1 { font-size: 1.4em; margin: 0 0 .3em; }
p { max-width: 60em; }
details { margin: .6em 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15em 1em; max-width: 70em; }
dt { font-weight: 600; } dd { margin: 0; }
.filters { display: flex; flex-wrap: wrap; gap: .5em 1em; margin: .8em 0; align-items: end; }
.filters label { display: flex; flex-direction: column; font-size: .85em; color: #4a5568; }
select, input { font: inherit; max-width: 16em; }
.frame { overflow: auto; max-height: 80vh; border: 1px solid #cbd2dc; }
table { border-collapse: collapse; font-size: .86em; white-space: nowrap; }
th { position: sticky; top: 0; background: #e9edf3; text-align: left; cursor: pointer; padding: .35em .6em;
     vertical-align: bottom; border-bottom: 1px solid #aab4c3; white-space: normal; min-width: 4.5em; }
th small { display: block; font-weight: 400; color: #5b6676; }
th[aria-sort=ascending]::after { content: " \\25B2"; } th[aria-sort=descending]::after { content: " \\25BC"; }
td { padding: .2em .6em; border-bottom: 1px solid #edf0f4; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
td:last-child { white-space: normal; min-width: 22em; }
tr.off td { background: #fff4d6; } tr.failed td { background: #fde3e1; }
.key { padding: 0 .4em; } .key.off { background: #fff4d6; } .key.failed { background: #fde3e1; }
</style>
</head>
<body>
<h1>Formulations compared</h1>
<p>Every row is one run: a mechanism, a formulation, a way to keep joints closed, an integrator and its step. Of $total
runs $ok follow the reference, <span class="key off">$off ran to the end but far off</span> and
<span class="key failed">$failed failed</span>. Click a heading to sort by it; choose below to see less.
Times are of this machine ($machine); compare them within this page only.</p>
<details><summary>What the columns mean</summary><dl>
$explained
</dl></details>
<div class="filters">
$filters
<label>outcome <select id="outcome"><option value="">all</option><option value="ok">ok</option>
<option value="off">far off</option><option value="failed">failed</option></select></label>
<label>any text <input id="text" type="search"></label>
<span id="shown"></span>
</div>
<div class="frame"><table><thead><tr>$heads</tr></thead><tbody>
$body
</tbody></table></div>
<script>
"use strict";
const body = document.querySelector("tbody"), rows = Array.from(body.rows);
const heads = Array.from(document.querySelectorAll("th"));
const selects = Array.from(document.querySelectorAll("select[data-column]"));
const outcome = document.getElementById("outcome"), text = document.getElementById("text");
function passes(row) {
  const wanted = text.value.toLowerCase();
  return selects.every(s => !s.value || row.cells[s.dataset.column].textContent === s.value)
    && (!outcome.value || row.className === outcome.value)
    && (!wanted || row.textContent.toLowerCase().includes(wanted));
}
function filter() {
  let n = 0;
  for (const row of rows) { row.hidden = !passes(row); n += row.hidden ? 0 : 1; }
  document.getElementById("shown").textContent = n + " of " + rows.length + " rows";
}
// numbers before words, empty cells last in either direction
function compare(a, b, sign) {
  const x = a.dataset.v, y = b.dataset.v, s = a.textContent, t = b.textContent;
  if (!s || !t) return (s ? 0 : 1) - (t ? 0 : 1);
  if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
  if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
  return sign * s.localeCompare(t);
}
function sortBy(k) {
  const down = heads[k].getAttribute("aria-sort") === "ascending";
  heads.forEach(h => h.removeAttribute("aria-sort"));
  heads[k].setAttribute("aria-sort", down ? "descending" : "ascending");
  rows.sort((a, b) => compare(a.cells[k], b.cells[k], down ? -1 : 1));
  body.append(...rows);
}
heads.forEach((h, k) => {
  h.addEventListener("click", () => sortBy(k));
  h.addEventListener("keydown", e => { if (e.key === "Enter") sortBy(k); });
});
[...selects, outcome].forEach(s => s.addEventListener("change", filter));
text.addEventListener("input", filter);
filter();
</script>
</body>
</html>
""")
