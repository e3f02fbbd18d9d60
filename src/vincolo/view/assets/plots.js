// Series over time: a panel for each unit, with one time cursor through all of them.

const QUANTITIES = { m: 'length', 'm/s': 'velocity', 'm/s^2': 'acceleration', rad: 'angle', 'rad/s': 'angular velocity',
  'rad/s^2': 'angular acceleration', N: 'force', 'N m': 'torque', W: 'power', J: 'energy', 1: 'value' };
class Plots {
  constructor(player, host) {
    this.player = player;
    this.host = host;
    this.names = [];
    this.panels = [];
    this.range = null; // times shown, if zoomed
    new ResizeObserver(() => this.refresh()).observe(host);
  }

  toggle(name) {
    this.names = this.names.includes(name) ? this.names.filter((n) => n !== name) : [...this.names, name];
    this.arrange();
  }

  unitOf(name) {
    const run = this.player.runs.find((r) => r.series.has(name));
    return run ? run.series.get(name).unit : '';
  }

  // Panels by unit; series without unit get panels of their own.
  arrange() {
    const groups = new Map();
    for (const name of this.names) {
      const key = this.unitOf(name) || ` ${name}`;
      groups.set(key, [...(groups.get(key) || []), name]);
    }
    this.panels = [...groups].map(([key, names]) => new PlotPanel(this, key.startsWith(' ') ? '' : key, names));
    const textContent = 'Select a part and press the name of a value to plot it.';
    const hint = make('p', { className: 'hint', textContent });
    this.host.replaceChildren(...(this.panels.length ? this.panels.map((p) => p.element) : [hint]));
    this.refresh();
  }

  refresh() {
    this.panels.forEach((panel) => panel.paint());
    this.cursor();
  }

  // After series have grown.
  grow() {
    this.panels.forEach((panel) => { panel.kept = null; });
    this.refresh();
  }

  cursor() { this.panels.forEach((panel) => panel.showTime()); }

  get times() { return this.range || [this.player.start, this.player.end]; }

  setRange(range) {
    this.range = range;
    this.refresh();
  }
}

class PlotPanel {
  // What a unit measures: pages in mm and degrees name the same as those in SI.
  quantity(unitName) {
    const { units } = this.plots.player.runs[0], found = Object.keys(units || {}).find((si) => units[si][0] === unitName);
    return QUANTITIES[found || unitName];
  }

  constructor(plots, unitName, names) {
    Object.assign(this, { plots, unit: unitName, names, hover: null });
    const single = names.length === 1 ? names[0] : this.quantity(unitName) || names[0];
    const short = single.length > 30 ? `${single.slice(0, 14)}\u2026${single.slice(-15)}` : single;
    this.title = unitName ? `${short} [${prettyUnit(unitName)}]` : short;
    this.canvas = make('canvas', { tabIndex: 0 });
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Plot of ${names.join(', ')} over time`);
    this.readout = make('div', { className: 'readout', hidden: true });
    this.element = make('figure', { className: 'plot' }, make('figcaption', {}, ...this.legend()),
      make('div', { className: 'area' }, this.canvas, this.readout, make('span', { className: 'savers' },
        ...savers(() => this.content(), this.title.replace(/ \[.*/, '')))));
    this.still = document.createElement('canvas');
    this.listen();
  }

  legend() {
    return this.names.map((name, k) => {
      const button = make('button', { className: 'chip', title: `Take ${name} away` },
        make('i', {}), make('span', { textContent: name }),
        make('span', { className: 'cross', textContent: '\u00d7' }));
      button.setAttribute('aria-label', `Remove plot of ${name}`);
      button.firstChild.style.background = this.ink(k);
      button.onclick = () => this.plots.player.togglePlot(name);
      return button;
    });
  }

  ink(k) { return (this.plots.player.dark ? DARK_INKS : INKS)[k % INKS.length]; }

  // Lines to draw: one for each name and run that has it.
  lines() {
    if (this.kept) return this.kept;
    const found = [];
    this.names.forEach((name, k) => this.plots.player.runs.forEach((run, r) => {
      const series = run.series.get(name);
      if (!series || series.unit !== this.unit) return;
      const under = found.filter((line) => liesUpon(series, line.series)).length;
      found.push({ run, series, ink: this.ink(k), dash: Math.max(r, under) });
    }));
    this.kept = found;
    return found;
  }

  paint() {
    const box = this.canvas.parentElement.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (box.width < 40 || box.height < 40) return;
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.round(box.width * ratio);
      canvas.height = Math.round(box.height * ratio);
    }
    Object.assign(this, { width: box.width, height: box.height, ratio, frame: this.scale(box.width, box.height) });
    const pen = this.still.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw(pen, this.frame);
  }

  draw(pen, frame) {
    const { colours, runs } = this.plots.player;
    drawAxes(pen, frame, colours, 't [s]', this.title);
    drawMarks(pen, frame, runs[0].events.map(([t]) => t), `${colours.accent}88`);
    inside(pen, frame, () => {
      for (const { run, series, ink, dash } of this.lines()) drawLine(pen, frame, run.t, series.values, ink, dash);
    });
    if (this.empty) write(pen, colours.ink, 'no numbers to draw', frame.width / 2, frame.height / 2, 'center', 'middle');
  }

  scale(width, height) {
    const [t0, t1] = this.plots.times;
    let low = Infinity, high = -Infinity;
    for (const { run, series } of this.lines()) {
      series.values.forEach((v, k) => {
        if (v === v && run.t[k] >= t0 && run.t[k] <= t1) {
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      });
    }
    this.empty = low > high;
    return new Frame(width, height, [t0, t1 > t0 ? t1 : t0 + 1], rangeOf(low, high, 0.06) || [0, 1]);
  }

  timeAt(x) { return clamp(this.frame.xAt(x), this.frame.x0, this.frame.x1); }

  label(run, series) {
    return run.label && this.plots.player.runs.length > 1 ? `${series.name}, ${run.label}` : series.name;
  }

  // What is saved: the plot as it is seen, larger, and the numbers of its lines.
  content() {
    const size = [900, 360], lines = this.lines(), { colours } = this.plots.player, columns = new Map();
    for (const { run, series } of lines) {
      const head = `${this.label(run, series)}${this.unit ? ` [${prettyUnit(this.unit)}]` : ''}`;
      columns.set(run.t, [...(columns.get(run.t) || [{ head: 't [s]', values: run.t }]), { head, values: series.values }]);
    }
    const legend = lines.map(({ run, series, ink, dash }) => ({ label: this.label(run, series), ink, dash }));
    return { width: size[0], colours, title: document.title, columns: [...columns.values()].flat(),
      charts: [{ size, legend, paint: (pen) => this.draw(pen, this.scale(...size)) }] };
  }

  // The still picture with the cursor, points on the lines, and what is under the pointer.
  showTime() {
    if (!this.width) return;
    const pen = this.canvas.getContext('2d'), { frame } = this, { accent, paper } = this.plots.player.colours;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const { time } = this.plots.player;
    if (time >= frame.x0 && time <= frame.x1) {
      const x = frame.x(time);
      pen.lineWidth = 1.5;
      stroke(pen, accent, [[x, frame.top - 4], [x, frame.bottom]]);
      this.dots(pen, time, paper);
    }
    if (this.hover !== null) {
      pen.setLineDash([3, 3]);
      pen.lineWidth = 1;
      const x = frame.x(this.hover);
      stroke(pen, this.plots.player.colours.edge, [[x, frame.top], [x, frame.bottom]]);
      pen.setLineDash([]);
      this.dots(pen, this.hover, paper);
    }
    if (this.drag && this.drag.zoom) {
      const [a, b] = [frame.x(this.drag.from), frame.x(this.drag.to)];
      pen.fillStyle = `${accent}33`;
      pen.fillRect(Math.min(a, b), frame.top, Math.abs(b - a), frame.bottom - frame.top);
    }
  }

  dots(pen, time, paper) {
    for (const { run, series, ink } of this.lines()) {
      const v = series.at(run.place(time));
      if (v !== v || time < run.start || time > run.end) continue;
      disc(pen, this.frame.x(time), this.frame.y(v), 3.6, ink, paper);
    }
  }

  listen() {
    const { canvas } = this, { player } = this.plots;
    const timeOf = (event) => this.timeAt(event.clientX - canvas.getBoundingClientRect().left);
    canvas.onpointerdown = (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { from: timeOf(event), to: timeOf(event), zoom: event.shiftKey };
      if (!event.shiftKey) player.scrub(timeOf(event));
    };
    canvas.onpointermove = (event) => {
      if (this.drag) this.drag.to = timeOf(event);
      if (this.drag && !this.drag.zoom) player.scrub(timeOf(event));
      this.setHover(timeOf(event));
    };
    canvas.onpointerup = () => {
      const drag = this.drag;
      this.drag = null;
      if (drag && drag.zoom && drag.from !== drag.to) {
        this.plots.setRange([Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]);
      }
    };
    canvas.onpointercancel = () => { this.drag = null; };
    canvas.onpointerleave = () => this.setHover(null);
    canvas.ondblclick = () => this.plots.setRange(null);
    canvas.title = 'Drag to move the time; shift and drag to zoom, double click to see all';
  }

  setHover(time) {
    this.hover = time;
    this.readout.hidden = time === null;
    if (time !== null) {
      const rows = this.lines().map(({ run, series, ink }) => {
        const within = time >= run.start && time <= run.end;
        return { label: this.label(run, series), ink, text: shown(within ? series.at(run.place(time)) : NaN) };
      });
      fillReadout(this.readout, `t = ${shown(time)} s`, rows, this.frame.x(time), this.width);
    }
    this.showTime();
  }
}

// Whether a line would hide another one; it is dashed then, so that both are seen.
function liesUpon(series, other) {
  if (series.values.length !== other.values.length) return false;
  let apart = 0, size = 0;
  series.values.forEach((v, k) => {
    apart = Math.max(apart, Math.abs(v - other.values[k]) || 0);
    size = Math.max(size, Math.abs(v) || 0);
  });
  return apart <= 0.05 * size;
}
