// Series over time: a panel for each unit, with one time cursor through all of them.

const INKS = ['#0b6fb8', '#d1495b', '#2a9d5c', '#e08e1b', '#7a4fbf', '#6b7280', '#17a2a2', '#b5547e', '#8a6d1f',
  '#5b8def'];
const DARK_INKS = ['#4aa8ea', '#f07a89', '#5ccf8f', '#f2b04e', '#a98bea', '#a8b3c0', '#4fd0d0', '#e08fb4',
  '#c9ab55', '#8fb4ff'];
const QUANTITIES = { m: 'length', 'm/s': 'velocity', 'm/s^2': 'acceleration', rad: 'angle', 'rad/s': 'angular velocity',
  'rad/s^2': 'angular acceleration', N: 'force', 'N m': 'torque', W: 'power', J: 'energy', 1: 'value' };
const MARGIN = { left: 70, right: 14, top: 10, bottom: 36 };

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

  cursor() { this.panels.forEach((panel) => panel.showTime()); }

  get times() { return this.range || [this.player.start, this.player.end]; }

  setRange(range) {
    this.range = range;
    this.refresh();
  }
}

class PlotPanel {
  constructor(plots, unitName, names) {
    Object.assign(this, { plots, unit: unitName, names, hover: null });
    const single = names.length === 1 ? names[0] : QUANTITIES[unitName] || names[0];
    const short = single.length > 30 ? `${single.slice(0, 14)}\u2026${single.slice(-15)}` : single;
    this.name = short;
    this.title = this.titled(0);
    this.canvas = make('canvas', { tabIndex: 0 });
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Plot of ${names.join(', ')} over time`);
    this.readout = make('div', { className: 'readout', hidden: true });
    this.element = make('figure', { className: 'plot' }, make('figcaption', {}, ...this.legend()),
      make('div', { className: 'area' }, this.canvas, this.readout));
    this.still = document.createElement('canvas');
    this.listen();
  }

  // `slider.x [m]`, or `slider.x [10³ m]` for numbers in thousands.
  titled(power) {
    const scale = power ? `10${superscript(power)}` : '';
    const inside = [scale, prettyUnit(this.unit)].filter(Boolean).join(' ');
    return inside ? `${this.name} [${inside}]` : this.name;
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
    Object.assign(this, { width: box.width, height: box.height, ratio });
    this.scale();
    const pen = this.still.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(pen);
    this.drawEvents(pen);
    this.drawLines(pen);
  }

  drawEvents(pen) {
    const { accent } = this.plots.player.colours, bottom = this.height - MARGIN.bottom;
    pen.setLineDash([2, 3]);
    for (const [t] of this.plots.player.runs[0].events) {
      const x = Math.round(this.x(t)) + 0.5;
      if (t >= this.t0 && t <= this.t1) stroke(pen, `${accent}88`, [[x, MARGIN.top], [x, bottom]]);
    }
    pen.setLineDash([]);
  }

  scale() {
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
    if (this.empty) [low, high] = [0, 1];
    const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high));
    const pad = high - low > least ? 0.06 * (high - low) : 0.5 * (Math.max(Math.abs(low), Math.abs(high)) || 1);
    Object.assign(this, { low: low - pad, high: high + pad, t0, t1: t1 > t0 ? t1 : t0 + 1 });
  }

  x(t) { return MARGIN.left + (t - this.t0) / (this.t1 - this.t0) * (this.width - MARGIN.left - MARGIN.right); }

  y(v) {
    const inside = this.height - MARGIN.top - MARGIN.bottom;
    return this.height - MARGIN.bottom - (v - this.low) / (this.high - this.low) * inside;
  }

  timeAt(x) {
    const share = (x - MARGIN.left) / (this.width - MARGIN.left - MARGIN.right);
    return clamp(this.t0 + share * (this.t1 - this.t0), this.t0, this.t1);
  }

  drawAxes(pen) {
    const { ink, faint, edge } = this.plots.player.colours;
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = '12px system-ui, sans-serif';
    pen.lineWidth = 1;
    const bottom = this.height - MARGIN.bottom, right = this.width - MARGIN.right;
    const largest = Math.max(Math.abs(this.low), Math.abs(this.high));
    const power = largest >= 1e4 || largest < 1e-2 ? 3 * Math.floor(Math.log10(largest) / 3) : 0;
    for (const [value, text] of ticks(this.low, this.high, (bottom - MARGIN.top) / 34, 10 ** power)) {
      const y = Math.round(this.y(value)) + 0.5;
      stroke(pen, faint, [[MARGIN.left, y], [right, y]]);
      write(pen, ink, text, MARGIN.left - 7, y, 'right', 'middle');
    }
    for (const [value, text] of ticks(this.t0, this.t1, (right - MARGIN.left) / 70, 1)) {
      const x = Math.round(this.x(value)) + 0.5;
      stroke(pen, faint, [[x, MARGIN.top], [x, bottom]]);
      write(pen, ink, text, x, bottom + 6, 'center', 'top');
    }
    stroke(pen, edge, [[MARGIN.left + 0.5, MARGIN.top], [MARGIN.left + 0.5, bottom + 0.5], [right, bottom + 0.5]]);
    write(pen, ink, 't [s]', (MARGIN.left + right) / 2, this.height - 3, 'center', 'bottom');
    pen.save();
    pen.translate(10, (MARGIN.top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    write(pen, ink, this.titled(power), 0, 0, 'center', 'middle', bottom - MARGIN.top + 30);
    pen.restore();
    if (this.empty) write(pen, ink, 'no numbers to draw', (MARGIN.left + right) / 2, bottom / 2, 'center', 'middle');
  }

  drawLines(pen) {
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top - 2, this.width - MARGIN.left - MARGIN.right,
      this.height - MARGIN.top - MARGIN.bottom + 4);
    pen.clip();
    pen.lineJoin = 'round';
    for (const { run, series, ink, dash } of this.lines()) {
      pen.strokeStyle = ink;
      pen.lineWidth = 1.8;
      pen.setLineDash(dash ? [[6, 5], [2, 4], [9, 3, 2, 3]][(dash - 1) % 3] : []);
      pen.beginPath();
      let down = false;
      series.values.forEach((v, k) => {
        if (v !== v) { down = false; return; }
        const x = this.x(run.t[k]), y = this.y(v);
        if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
        down = true;
      });
      pen.stroke();
      if (series.values.length === 1) pen.strokeRect(this.x(run.t[0]) - 2, this.y(series.values[0]) - 2, 4, 4);
    }
    pen.restore();
  }

  // The still picture with the cursor, points on the lines, and what is under the pointer.
  showTime() {
    if (!this.width) return;
    const pen = this.canvas.getContext('2d'), { accent, paper } = this.plots.player.colours;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const { time } = this.plots.player;
    if (time >= this.t0 && time <= this.t1) {
      const x = this.x(time);
      pen.lineWidth = 1.5;
      stroke(pen, accent, [[x, MARGIN.top - 4], [x, this.height - MARGIN.bottom]]);
      this.dots(pen, time, paper);
    }
    if (this.hover !== null) {
      pen.setLineDash([3, 3]);
      pen.lineWidth = 1;
      const x = this.x(this.hover);
      stroke(pen, this.plots.player.colours.edge, [[x, MARGIN.top], [x, this.height - MARGIN.bottom]]);
      pen.setLineDash([]);
      this.dots(pen, this.hover, paper);
    }
    if (this.drag && this.drag.zoom) {
      const [a, b] = [this.x(this.drag.from), this.x(this.drag.to)];
      pen.fillStyle = `${accent}33`;
      pen.fillRect(Math.min(a, b), MARGIN.top, Math.abs(b - a), this.height - MARGIN.top - MARGIN.bottom);
    }
  }

  dots(pen, time, paper) {
    for (const { run, series, ink } of this.lines()) {
      const v = series.at(run.place(time));
      if (v !== v || time < run.start || time > run.end) continue;
      pen.beginPath();
      pen.arc(this.x(time), this.y(v), 3.6, 0, 7);
      pen.fillStyle = ink;
      pen.fill();
      pen.strokeStyle = paper;
      pen.lineWidth = 1.2;
      pen.stroke();
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
        const inside = time >= run.start && time <= run.end;
        const text = shown(inside ? series.at(run.place(time)) : NaN);
        const label = run.label && this.plots.player.runs.length > 1 ? `${series.name}, ${run.label}` : series.name;
        const row = make('div', {}, make('i', {}), make('span', { textContent: label }),
          make('b', { textContent: text }));
        row.firstChild.style.background = ink;
        return row;
      });
      this.readout.replaceChildren(make('div', { className: 'when', textContent: `t = ${shown(time)} s` }), ...rows);
      const x = this.x(time), onRight = x > this.width / 2;
      this.readout.style.left = onRight ? 'auto' : `${x + 12}px`;
      this.readout.style.right = onRight ? `${this.width - x + 12}px` : 'auto';
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

// Round values in a range, with their texts in multiples of `unitSize`; about `count` of them.
function ticks(low, high, count, unitSize) {
  const step = roundUp((high - low) / Math.max(count, 2)), found = [];
  const digits = clamp(Math.ceil(-Math.log10(step / unitSize) - 1e-9), 0, 12);
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step && found.length < 40; k++) {
    found.push([k * step, (k * step / unitSize).toFixed(digits).replace(/^-(?=[0.]*$)/, '').replace('-', '\u2212')]);
  }
  return found;
}

function superscript(power) {
  const raised = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
  return String(power).replace('-', '\u207b').replace(/[0-9]/g, (d) => raised[d]);
}

function stroke(pen, colour, points) {
  pen.strokeStyle = colour;
  pen.beginPath();
  points.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function write(pen, colour, text, x, y, align, base, most) {
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.textBaseline = base;
  pen.fillText(text, x, y, most);
}
