// Paths in space: a box with three axes, to be turned by the pointer; a ring where a path begins, a dot where it ends.

const EYES = { z: [-35, 24], y: [-35, 24], x: [-35, 24] }; // degrees about the axis that points up, and above the floor
const ORDER = { z: [0, 1, 2], y: [2, 0, 1], x: [1, 2, 0] }; // which axes lie on the floor, and which points up

class SpaceView {
  constructor(data, array, host, look) {
    Object.assign(this, { title: data.title, axes: data.axes, limits: data.limits, shape: data.shape, up: data.up, host,
      look, hidden: new Set(), near: 1 });
    [this.around, this.above] = EYES[data.up];
    this.paths = data.paths.map((path) => ({ ...path, points: path.points.map(array) }));
    this.picture = make('div', { className: 'picture' });
    this.readout = make('div', { className: 'readout', hidden: true });
    this.area = make('div', { className: 'area turning' }, this.picture, this.readout);
    host.append(make('figure', { className: 'plot' }, make('figcaption', {}, ...this.chips()), this.area));
    if (!look.fixed) new ResizeObserver(() => this.draw()).observe(host);
    this.listen();
    this.draw();
  }

  chips() { return PanelView.prototype.chips.call({ bands: [], lines: this.paths, hidden: this.hidden,
    sheet: { paint: () => this.draw() } }); }

  // A point of the axes' numbers in the plane of the picture, and how near it is.
  flat(point) {
    const [i, j, k] = ORDER[this.up], box = this.limits.map(([low, high], n) => this.shape[n]
      * ((point[n] - low) / (high - low) - 0.5));
    const a = this.around * Math.PI / 180, e = this.above * Math.PI / 180;
    const right = box[i] * Math.cos(a) - box[j] * Math.sin(a), back = box[i] * Math.sin(a) + box[j] * Math.cos(a);
    return [right, box[k] * Math.cos(e) + back * Math.sin(e), box[k] * Math.sin(e) - back * Math.cos(e)];
  }

  // The same in pixels.
  at(point) {
    const [right, up, near] = this.flat(point);
    return [this.size[0] / 2 + this.scale * right, this.size[1] / 2 - this.scale * up, near];
  }

  corners() {
    const ends = [0, 1];
    return ends.flatMap((a) => ends.flatMap((b) => ends.map((c) => [a, b, c])));
  }

  // Pixels of a unit, so that the box fits with its numbers around it.
  fitted() {
    const spots = this.corners().map((corner) => this.flat(corner.map((end, n) => this.limits[n][end])));
    const [wide, tall] = [0, 1].map((n) => Math.max(...spots.map((s) => Math.abs(s[n]))));
    return this.near * Math.min((this.size[0] / 2 - 90) / wide, (this.size[1] / 2 - 60) / tall);
  }

  draw() {
    const width = this.look.fixed ? FIXED : Math.max(this.host.clientWidth, 240);
    this.size = [width, this.look.fixed ? 560 : clamp(window.innerHeight - 110, 320, 900)];
    this.scale = this.fitted();
    const pen = new SvgPen(...this.size);
    this.paint(pen);
    this.picture.innerHTML = pen.text();
    this.area.style.height = this.look.fixed ? '' : `${this.size[1]}px`;
  }

  // The corner of the box that is farthest away: low or high end of each axis.
  farthest() {
    const depth = (corner) => this.flat(corner.map((end, n) => this.limits[n][end]))[2];
    return this.corners().reduce((best, corner) => (depth(corner) < depth(best) ? corner : best));
  }

  paint(pen) {
    pen.font = `12px ${LETTERS}`;
    pen.lineWidth = 1;
    const far = this.farthest();
    [0, 1, 2].forEach((n) => this.drawGrid(pen, n, far));
    [0, 1, 2].forEach((n) => this.drawAxis(pen, n, far));
    for (const path of this.paths) if (!this.hidden.has(path)) this.drawPath(pen, path);
  }

  rungs(n) {
    const [low, high] = this.limits[n], size = this.shape[n] / Math.max(...this.shape);
    return ticks(low, high, Math.max(3, 7 * size), 10 ** powerOf(low, high));
  }

  // Lines of the ticks of one axis on the two walls behind.
  drawGrid(pen, n, far) {
    const others = [0, 1, 2].filter((m) => m !== n);
    for (const [value] of this.rungs(n)) {
      for (const m of others) {
        const wall = others.find((o) => o !== m);
        const ends = [0, 1].map((end) => {
          const point = [0, 0, 0];
          [point[n], point[m], point[wall]] = [value, this.limits[m][end], this.limits[wall][far[wall]]];
          return this.at(point);
        });
        stroke(pen, this.look.colours.faint, ends);
      }
    }
  }

  // The edge of the box that bears the numbers of an axis: of those at the rim, the one that lies lowest or leftmost.
  edgeOf(n, far) {
    const others = [0, 1, 2].filter((m) => m !== n);
    const edges = [[0, 1], [1, 0]].map((turn) => others.map((m, k) => (turn[k] ? 1 - far[m] : far[m])));
    const middle = (ends) => this.at(this.limits.map(([low, high], m) => (m === n ? (low + high) / 2
      : this.limits[m][ends[others.indexOf(m)]])));
    const upward = 'xyz'[n] === this.up;
    const best = edges.reduce((a, b) => (upward ? middle(a)[0] <= middle(b)[0] : middle(a)[1] >= middle(b)[1]) ? a : b);
    return (value) => this.limits.map((_, m) => (m === n ? value : this.limits[m][best[others.indexOf(m)]]));
  }

  drawAxis(pen, n, far) {
    const { ink, edge } = this.look.colours, on = this.edgeOf(n, far), [low, high] = this.limits[n];
    const a = this.at(on(low)), b = this.at(on(high)), middle = [this.size[0] / 2, this.size[1] / 2];
    stroke(pen, edge, [a, b]);
    const m = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    let out = [-(b[1] - a[1]), b[0] - a[0]];
    if (out[0] * (m[0] - middle[0]) + out[1] * (m[1] - middle[1]) < 0) out = out.map((x) => -x);
    const size = Math.hypot(...out) || 1, [ox, oy] = out.map((x) => x / size);
    const align = ox > 0.3 ? 'left' : ox < -0.3 ? 'right' : 'center';
    for (const [value, text] of this.rungs(n)) {
      const [x, y] = this.at(on(value));
      write(pen, ink, text, x + 9 * ox, y + 9 * oy, align, 'middle');
    }
    write(pen, ink, titled(this.axes[n], powerOf(low, high)), m[0] + 52 * ox, m[1] + 34 * oy, align, 'middle');
  }

  drawPath(pen, path) {
    const [xs, ys, zs] = path.points, dots = [];
    pen.strokeStyle = path.colour;
    pen.lineWidth = 2;
    pen.setLineDash(dashOf(path.dash));
    pen.beginPath();
    let down = false;
    for (let k = 0; k < xs.length; k++) {
      if (!(Number.isFinite(xs[k]) && Number.isFinite(ys[k]) && Number.isFinite(zs[k]))) { down = false; continue; }
      const [x, y] = this.at([xs[k], ys[k], zs[k]]);
      if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
      down = true;
      dots.push([x, y]);
    }
    pen.stroke();
    pen.setLineDash([]);
    if (!dots.length) return;
    disc(pen, ...dots[0], 4.5, this.look.colours.paper, path.colour);
    disc(pen, ...dots[dots.length - 1], 4.5, path.colour, path.colour);
  }

  listen() {
    const { area } = this;
    area.title = 'Drag to turn, wheel with Ctrl to zoom, double click to see it as at first';
    area.onpointerdown = (event) => {
      if (event.button) return;
      area.setPointerCapture(event.pointerId);
      this.drag = [event.clientX, event.clientY];
    };
    area.onpointermove = (event) => {
      if (!this.drag) { this.point(event); return; }
      this.around += 0.4 * (event.clientX - this.drag[0]);
      this.above = clamp(this.above + 0.4 * (event.clientY - this.drag[1]), -89, 89);
      this.drag = [event.clientX, event.clientY];
      this.draw();
    };
    area.onpointerup = () => { this.drag = null; };
    area.onpointercancel = () => { this.drag = null; };
    area.onpointerleave = () => { this.readout.hidden = true; };
    area.ondblclick = () => this.zoom();
    area.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.near = clamp(this.near * Math.exp(-0.002 * event.deltaY), 0.2, 20);
      this.draw();
    }, { passive: false });
  }

  // The numbers of the point of a path that is nearest to the pointer.
  point(event) {
    const box = this.area.getBoundingClientRect(), scale = this.size[0] / Math.max(box.width, 1);
    const [px, py] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let least = 20, best = null;
    for (const path of this.paths) {
      if (this.hidden.has(path)) continue;
      path.points[0].forEach((_, k) => {
        const point = path.points.map((values) => values[k]), [x, y] = this.at(point);
        const away = Math.hypot(x - px, y - py);
        if (away < least) [least, best] = [away, { path, point, x }];
      });
    }
    this.readout.hidden = !best;
    if (!best) return;
    const rows = best.point.map((v, n) => ({ label: this.axes[n], ink: best.path.colour, text: shown(v) }));
    fillReadout(this.readout, best.path.label, rows, best.x / scale, box.width);
    this.readout.style.top = `${clamp(py / scale - 30, 0, box.height - 90)}px`;
  }

  zoom() {
    [this.around, this.above] = EYES[this.up];
    this.near = 1;
    this.draw();
  }

  content() {
    const seen = this.paths.filter((path) => !this.hidden.has(path));
    const columns = seen.flatMap((path) => path.points.map((values, n) => ({ head: `${path.label} ${this.axes[n]}`, values })));
    return { width: this.size[0], colours: this.look.colours, title: this.title, columns,
      charts: [{ size: this.size, legend: seen.map((p) => ({ ...p, ink: p.colour })), paint: (pen) => this.paint(pen) }] };
  }
}
