// A plot on a page: panels over a common axis, with values under the pointer, zoom, lines to switch on and off.

const FIXED = 900; // pixels: the width of a plot that is scaled as a whole

// Whether numbers never fall; what is not a number is passed over.
function rises(values) {
  let last = -Infinity;
  return values.every((v) => { const fine = !(v < last); if (v === v) last = v; return fine; });
}

// The number of the value nearest to x in rising values.
function nearest(values, x) {
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle; else high = middle;
  }
  return Math.abs(values[high] - x) < Math.abs(values[low] - x) ? high : low;
}

// The value of a line at x, between two of its points.
function valueAt(line, x) {
  const { x: xs, y: ys } = line, last = xs.length - 1;
  if (!(x >= xs[0] && x <= xs[last])) return NaN;
  const k = nearest(xs, x), j = xs[k] <= x ? Math.min(k + 1, last) : k - 1;
  if (xs[k] === x || xs[j] === xs[k]) return ys[k];
  return ys[k] + (ys[j] - ys[k]) * (x - xs[k]) / (xs[j] - xs[k]);
}

class SheetView {
  constructor(data, array, host, look) {
    Object.assign(this, { title: data.title, xTitle: data.xTitle, equal: data.equal, log: data.log, marks: data.marks,
      host, look, range: null });
    this.panels = data.panels.map((panel) => new PanelView(this, panel, array));
    this.over = this.panels.every((p) => p.lines.every((line) => rises(line.x)));
    host.append(...this.panels.map((p) => p.element));
    if (!look.fixed) new ResizeObserver(() => this.paint()).observe(host);
    this.paint();
  }

  size(panel) {
    const { fixed } = this.look, n = this.panels.length;
    const width = fixed ? FIXED : Math.max(this.host.clientWidth, 240);
    if (this.equal) return [width, fixed ? 520 : clamp(window.innerHeight - 110, 300, Math.max(width, 300))];
    if (fixed) return [width, n === 1 ? 290 : 210];
    const room = (window.innerHeight - 70) / n - panel.caption.offsetHeight - 10;
    return [width, clamp(room, 200, 620)];
  }

  // The range of the common axis: what is zoomed to, or that of all lines that are shown.
  xRange() {
    if (this.range) return this.range;
    let low = Infinity, high = -Infinity;
    for (const { x } of this.panels.flatMap((p) => [...p.seen(), ...p.bands])) {
      for (const v of x) if (v === v) [low, high] = [Math.min(low, v), Math.max(high, v)];
    }
    if (low > high) return [0, 1];
    return low < high ? [low, high] : rangeOf(low, high, 0.5);
  }

  paint() { this.panels.forEach((panel) => panel.draw()); }

  zoom(range) {
    this.range = range;
    if (!range) this.panels.forEach((panel) => { panel.range = null; });
    this.paint();
  }

  // What is saved.
  content() {
    const charts = this.panels.map((panel) => ({ size: panel.size, paint: (pen) => panel.paint(pen),
      legend: panel.legend ? [...panel.bands, ...panel.seen()].map((line) => ({ ...line, ink: line.colour })) : [] }));
    return { width: this.panels[0].size[0], colours: this.look.colours, title: this.title, charts,
      columns: this.columns() };
  }

  // Every axis once, followed by what is drawn over it.
  columns() {
    const found = new Map();
    for (const panel of this.panels) {
      for (const line of panel.seen()) {
        const unit = (panel.title.match(/ \[[^\]]*\]$/) || [''])[0];
        const name = panel.legend || panel.lines.length > 1 ? `${line.label}${unit}` : panel.title;
        found.set(line.x, [...(found.get(line.x) || []), { head: name, values: line.y }]);
      }
    }
    return [...found].flatMap(([x, lines]) => [{ head: this.xTitle, values: x }, ...lines]);
  }
}

class PanelView {
  constructor(sheet, data, array) {
    Object.assign(this, { sheet, title: data.title, legend: data.legend, range: null, hidden: new Set() });
    const { dark } = sheet.look;
    const ink = (colour) => (dark && INKS.includes(colour) ? DARK_INKS[INKS.indexOf(colour)] : colour);
    this.lines = data.lines.map((line) => ({ ...line, x: array(line.x), y: array(line.y), colour: ink(line.colour) }));
    this.bands = data.bands.map((band) => ({ ...band, x: array(band.x), low: array(band.low), high: array(band.high),
      colour: ink(band.colour), dash: 0 }));
    this.caption = make('figcaption', {}, ...(this.legend ? this.chips() : []));
    this.picture = make('div', { className: 'picture' });
    this.glass = make('div', { className: 'glass' });
    this.readout = make('div', { className: 'readout', hidden: true });
    this.area = make('div', { className: 'area' }, this.picture, this.glass, this.readout);
    this.element = make('figure', { className: 'plot' }, this.caption, this.area);
    this.area.setAttribute('role', 'img');
    this.area.setAttribute('aria-label', `Plot of ${this.lines.map((l) => l.label).join(', ')} over ${sheet.xTitle}`);
    this.listen();
  }

  chips() {
    return [...this.bands, ...this.lines].map((line) => {
      const pen = new SvgPen(22, 8), key = make('i', { className: 'key' });
      pen.lineWidth = line.high ? 8 : 2.4;
      pen.globalAlpha = line.high ? 0.25 : 1;
      pen.setLineDash(dashOf(line.dash));
      stroke(pen, line.colour, [[0, 4], [22, 4]]);
      key.innerHTML = pen.text();
      const chip = make('button', { className: 'chip', title: 'Show or hide' }, key,
        make('span', { textContent: line.label }));
      chip.setAttribute('aria-pressed', 'true');
      chip.onclick = () => {
        if (this.hidden.has(line)) this.hidden.delete(line); else this.hidden.add(line);
        chip.setAttribute('aria-pressed', String(!this.hidden.has(line)));
        this.sheet.paint();
      };
      return chip;
    });
  }

  seen() { return this.lines.filter((line) => !this.hidden.has(line)); }

  // The range of values that are seen between two x.
  yRange([x0, x1]) {
    if (this.range) return this.range;
    let low = Infinity, high = -Infinity;
    const { log, range } = this.sheet, kept = [];
    const take = (xs, ys) => xs.forEach((x, k) => {
      const v = ys[k];
      if (v !== v || (range && (x < x0 || x > x1)) || (log && !(v > 0))) return;
      if (log) kept.push(v);
      [low, high] = [Math.min(low, v), Math.max(high, v)];
    });
    for (const line of this.seen()) take(line.x, line.y);
    for (const band of this.bands) if (!this.hidden.has(band)) { take(band.x, band.low); take(band.x, band.high); }
    if (log && kept.length) low = kept.sort((a, b) => a - b)[Math.floor(0.01 * kept.length)]; // not single roundings
    this.empty = low > high;
    return rangeOf(low, high, 0.06, log) || (log ? [0.1, 1] : [0, 1]);
  }

  frame() {
    const [width, height] = this.size = this.sheet.size(this), { log } = this.sheet;
    let xs = this.sheet.xRange(), ys = this.yRange(xs);
    if (!this.sheet.equal) return new Frame(width, height, xs, ys, log);
    const across = width - MARGIN.left - MARGIN.right, up = height - MARGIN.top - MARGIN.bottom;
    const scale = 1.04 * Math.max((xs[1] - xs[0]) / across, (ys[1] - ys[0]) / up);
    const wide = (range, pixels) => [-0.5, 0.5].map((s) => (range[0] + range[1]) / 2 + s * scale * pixels);
    [xs, ys] = [wide(xs, across), wide(ys, up)];
    return new Frame(width, height, xs, ys);
  }

  draw() {
    this.now = this.frame();
    this.area.style.height = this.sheet.look.fixed ? '' : `${this.size[1]}px`;
    const pen = new SvgPen(...this.size);
    this.paint(pen);
    this.picture.innerHTML = pen.text();
    this.glass.replaceChildren();
  }

  paint(pen) {
    const { colours } = this.sheet.look, frame = this.now;
    drawAxes(pen, frame, colours, this.sheet.xTitle, this.title);
    drawMarks(pen, frame, this.sheet.marks, colours.edge);
    inside(pen, frame, () => {
      for (const band of this.bands) if (!this.hidden.has(band)) drawBand(pen, frame, band);
      for (const line of this.seen()) drawLine(pen, frame, line.x, line.y, line.colour, line.dash);
    });
    if (this.empty) write(pen, colours.ink, 'no numbers to draw', frame.width / 2, frame.height / 2, 'center', 'middle');
  }

  // ---- pointer

  // The place of an event in the units of the picture.
  place(event) {
    const box = this.area.getBoundingClientRect(), scale = this.size[0] / Math.max(box.width, 1);
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  listen() {
    const { area } = this;
    area.onpointerdown = (event) => {
      if (event.button) return;
      area.setPointerCapture(event.pointerId);
      this.drag = { from: this.place(event), to: this.place(event) };
    };
    area.onpointermove = (event) => {
      const at = this.place(event);
      if (this.drag) this.drag.to = at;
      this.point(at);
    };
    area.onpointerup = () => this.release();
    area.onpointercancel = () => { this.drag = null; };
    area.onpointerleave = () => this.leave();
    area.ondblclick = () => this.sheet.zoom(null);
    area.title = 'Drag to zoom, double click to see all';
  }

  leave() {
    this.readout.hidden = true;
    this.glass.replaceChildren();
  }

  release() {
    const { drag, now } = this;
    this.drag = null;
    if (!drag) return;
    const [[ax, ay], [bx, by]] = [drag.from, drag.to], tall = Math.abs(by - ay) > 24, wide = Math.abs(bx - ax) > 6;
    if (tall && wide) this.range = [now.yAt(Math.max(ay, by)), now.yAt(Math.min(ay, by))];
    if (wide) this.sheet.zoom([now.xAt(Math.max(Math.min(ax, bx), now.left)), now.xAt(Math.min(Math.max(ax, bx), now.right))]);
    this.leave();
  }

  point([px, py]) {
    const { now } = this, lines = this.seen(), pen = new SvgPen(...this.size), { colours } = this.sheet.look;
    if (!lines.length || !(this.drag || now.holds(px, py))) { this.leave(); return; }
    const found = this.sheet.over ? this.across(lines, now.xAt(px)) : this.closest(lines, px, py);
    if (this.sheet.over) {
      pen.setLineDash([3, 3]);
      stroke(pen, colours.edge, [[now.x(found.x), now.top], [now.x(found.x), now.bottom]]);
      pen.setLineDash([]);
    }
    for (const { line, x, y } of found.points) {
      if (y === y && now.holds(now.x(x), now.y(y))) disc(pen, now.x(x), now.y(y), 3.6, line.colour, colours.paper);
    }
    if (this.drag) this.drawZoom(pen);
    this.glass.innerHTML = pen.text();
    const rows = found.points.map(({ line, y }) => ({ label: line.label, ink: line.colour, text: shown(y) }));
    const [name, unit] = this.sheet.xTitle.match(/^(.*) \[([^\]]*)\]$/)?.slice(1) || [this.sheet.xTitle, ''];
    this.readout.hidden = false;
    const box = this.area.getBoundingClientRect(), scale = box.width / this.size[0];
    fillReadout(this.readout, `${name} = ${shown(found.x)} ${unit}`, rows, scale * now.x(found.x), box.width);
  }

  // Values of all lines at the sample that is nearest to x.
  across(lines, x) {
    const owner = lines.find((l) => x >= l.x[0] && x <= l.x[l.x.length - 1]) || lines[0];
    const at = owner.x[nearest(owner.x, x)];
    return { x: at, points: lines.map((line) => ({ line, x: at, y: valueAt(line, at) })) };
  }

  // The point of all lines that is nearest to a place.
  closest(lines, px, py) {
    let best = { x: NaN, points: [] }, least = Infinity;
    for (const line of lines) {
      line.x.forEach((x, k) => {
        const away = Math.hypot(this.now.x(x) - px, this.now.y(line.y[k]) - py);
        if (away < least) [least, best] = [away, { x, points: [{ line, x, y: line.y[k] }] }];
      });
    }
    return best;
  }

  drawZoom(pen) {
    const [[ax, ay], [bx, by]] = [this.drag.from, this.drag.to], tall = Math.abs(by - ay) > 24;
    const [top, bottom] = tall ? [Math.min(ay, by), Math.max(ay, by)] : [this.now.top, this.now.bottom];
    pen.globalAlpha = 0.2;
    pen.fillStyle = this.sheet.look.colours.accent;
    pen.fillRect(Math.min(ax, bx), top, Math.abs(bx - ax), bottom - top);
    pen.globalAlpha = 1;
  }
}
