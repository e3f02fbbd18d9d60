// The beginning of a page of plots: every place of a plot is filled, and has its tools.

const VIEWS = { sheet: SheetView, bars: BarsView, space: SpaceView };
const LIGHT = { ink: '#1f2933', faint: '#e6eaef', edge: '#9aa5b1', accent: '#0b6fb8', paper: '#ffffff' };
const DARK = { ink: '#e6ebf1', faint: '#36404c', edge: '#7a8794', accent: '#5eb1ef', paper: '#1b2027' };

function showAll() {
  const { about, array } = unpacked(), found = [];
  const dark = !about.fixed && window.matchMedia('(prefers-color-scheme: dark)').matches;
  const look = { fixed: about.fixed, dark, colours: dark ? DARK : LIGHT };
  about.charts.forEach((chart, k) => {
    const host = document.getElementById(`chart-${k}`);
    host.replaceChildren();
    const view = new VIEWS[chart.kind](chart, array, host, look);
    const all = make('button', { className: 'save', textContent: 'All', title: 'See all again', onclick: () => view.zoom(null) });
    const tools = document.getElementById(`tools-${k}`);
    tools.replaceChildren(...(chart.kind === 'bars' ? [] : [all]), ...savers(() => view.content(), about.fixed ? `${k + 1}` : ''));
    found.push(view);
  });
  return found;
}

// For scripts: what is drawn, and what would be saved.
let views = showAll();
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { views = showAll(); });
Object.defineProperty(window, 'vincolo', { configurable: true, value: {
  zoom: (range, k = 0) => views[k].zoom(range),
  csv: (k = 0) => csvText(views[k].content().columns),
  svg: (k = 0) => { const c = views[k].content(); return svgText(c.width, c.colours, c.title, c.charts); },
  state: () => views.map((view) => ({ title: view.title, panels: (view.panels || []).map((p) => ({ title: p.title,
    lines: p.lines.map((l) => ({ label: l.label, colour: l.colour, dash: l.dash, count: l.x.length })),
    x: [p.now.x0, p.now.x1], y: [p.now.y0, p.now.y1], size: p.size })),
    paths: (view.paths || []).map((p) => p.label), labels: view.labels || [] })),
} });
