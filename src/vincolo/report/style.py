"""How a report looks on the screen and on paper."""

CSS = """
:root { --ink: #1f2933; --soft: #5b6773; --line: #d9dfe6; --paper: #fff; --band: #f5f7f9; --accent: #0b6fb8;
  --edge: #b4bdc8; --card: #fff;
  --good: #1b7f4b; --good-back: #e6f5ec; --fair: #9a6200; --fair-back: #fdf3dd; --bad: #b3261e; --bad-back: #fde9e7;
  --note: #0b5a94; --note-back: #e6f1fa; }
* { box-sizing: border-box; }
html { background: #eceff3; }
body { font: 15px/1.5 Inter, "Segoe UI", "Helvetica Neue", Helvetica, Arial, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 66rem; margin: 2rem auto; padding: 3rem 3.5rem 2rem; border-radius: 6px;
  box-shadow: 0 1px 6px rgba(20, 30, 40, .14); overflow-wrap: break-word; }
header { border-bottom: 3px solid var(--accent); padding-bottom: 1rem; margin-bottom: 1.5rem; }
.logo { float: right; max-width: 12rem; max-height: 4.5rem; margin: 0 0 .6rem 1.5rem; }
.preface { margin: 0 0 1rem; } .not-checked { color: var(--soft); font-size: .9rem; margin: -.4rem 0 1rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .8rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p { margin: .6rem 0; max-width: 52rem; }
ul { margin: .4rem 0; padding-left: 1.3rem; }
.byline, .small, footer { color: var(--soft); font-size: .9rem; }
nav { font-size: .9rem; margin: 1rem 0 0; }
nav a { color: var(--accent); text-decoration: none; margin-right: 1.1rem; white-space: nowrap; }
nav a:hover { text-decoration: underline; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
.tile { background: var(--band); border-radius: 5px; padding: .7rem .9rem; }
.tile b { display: block; font-size: 1.25rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: .85rem; }
.verdict { border-left: 5px solid; padding: .7rem 1rem; border-radius: 4px; margin: 1rem 0; font-weight: 500;
  white-space: pre-line; }
.good { color: var(--good); background: var(--good-back); }
.fair { color: var(--fair); background: var(--fair-back); }
.bad { color: var(--bad); background: var(--bad-back); }
.note { color: var(--note); background: var(--note-back); }
.tag { display: inline-block; padding: 0 .5em; border-radius: 3px; font-size: .93em; font-weight: 600;
  white-space: nowrap; }
.wide { overflow-x: auto; margin: 1.2rem 0; }
.narrow { margin: 1.2rem 0; } .narrow table { width: auto; } .narrow td, .narrow th { padding-right: 1.6rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
th { text-align: left; font-weight: 600; border-bottom: 2px solid var(--ink); padding: .3rem .55rem;
  vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: .28rem .55rem; vertical-align: top; overflow-wrap: break-word;
  word-break: normal; hyphens: manual; }
td:first-child { font-weight: 500; }
tbody tr:hover { background: var(--band); }
.r { text-align: right; white-space: nowrap; }
td.c { white-space: nowrap; }
.checks td:nth-child(3) { white-space: pre-line; } .checks td:first-child { white-space: nowrap; }
.bar { background: linear-gradient(to left, #d3e6f5 var(--s), transparent var(--s)); }
figure { margin: 1.2rem 0; }
figure img { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; margin-top: .2rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.single { max-width: 34rem; }
.pair img, .single img { border: 1px solid var(--line); border-radius: 4px; }
[hidden] { display: none !important; }
.chart-tools { opacity: .35; } figure:hover > .chart-tools, .chart-tools:focus-within { opacity: 1; }
iframe { width: 100%; height: 44rem; border: 1px solid var(--line); border-radius: 4px; background: #fff; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: .8rem; }
.paper { display: none; }
@media screen and (max-width: 60rem) { body { margin: 0; padding: 1.5rem 1rem; border-radius: 0; }
  .pair { display: block; } table { font-size: .8rem; } th, td { padding: .25rem .3rem; } }
@page { size: A4; margin: 16mm 15mm 17mm; @bottom-right { content: counter(page) " / " counter(pages);
  font: 9pt sans-serif; color: #5b6773; } }
@media print {
  html { background: none; }
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; box-shadow: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .tiles { grid-template-columns: repeat(4, 1fr); gap: 3mm; } .tile b { font-size: 12pt; }
  nav, .screen { display: none; }
  .paper { display: block; }
  h1 { font-size: 20pt; } h2 { font-size: 13pt; margin-top: 7mm; }
  h2, h3 { break-after: avoid; }
  .wide { overflow: visible; } table { font-size: 8.2pt; } th, td { padding: 1.2mm 1.4mm; }
  td.c, .r { white-space: normal; }
  figure, tr, .verdict, .tile, .whole, .pair { break-inside: avoid; }
  tbody tr:nth-child(-n+2):not(:last-child) { break-after: avoid; }
  tbody tr:nth-last-child(-n+3):not(:first-child) { break-before: avoid; }
  footer { break-before: avoid; break-inside: avoid; margin-top: 8mm; }
  .checks { break-after: avoid; }
  caption { break-after: avoid; } thead { display: table-header-group; }
  p, li { orphans: 3; widows: 3; }
  tbody tr:hover { background: none; }
}
"""
