// Pictures of a study in which variants can be chosen: dots over two columns, and lines over all of them.

const NEAR = 14; // px from the pointer within which a variant is meant
const MOST_LINES = 2000; // that are drawn; of more, every so many

// A canvas that is painted again when its size or its table changes. Those made from it say how to `draw(pen)`, which
// variant is `under(x, y)`, and `mark(pen, number, ink)`.
class StudyChart {
  constructor(view, label) {
    this.view = view;
    this.hover = null;
    this.canvas = make('canvas', { tabIndex: -1 });
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', label);
    this.readout = make('div', { className: 'readout', hidden: true });
    this.still = document.createElement('canvas');
    this.element = make('figure', { className: 'plot' }, make('figcaption'),
      make('div', { className: 'area' }, this.canvas, this.readout));
    this.canvas.onpointermove = (event) => this.setHover(this.at(event), event);
    this.canvas.onpointerleave = () => this.setHover(null);
    this.canvas.onclick = (event) => {
      const found = this.at(event);
      if (found !== null) this.view.choose(found);
    };
  }

  get table() { return this.view.table; }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.width ? this.under(event.clientX - box.left, event.clientY - box.top) : null;
  }

  setHover(number, event) {
    this.hover = number;
    this.canvas.style.cursor = number === null ? '' : 'pointer';
    this.readout.hidden = number === null;
    if (number !== null) {
      const row = this.table.row(number);
      fillReadout(this.readout, `variant ${number}`, this.table.columns.map((c, k) => ({ label: this.table.head(k),
        ink: 'none', text: shown(row[k]) })), event.clientX - this.canvas.getBoundingClientRect().left, this.width);
    }
    this.finish();
  }

  paint() {
    const box = this.element.lastChild.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (box.width < 80 || box.height < 80) return;
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.round(box.width * ratio);
      canvas.height = Math.round(box.height * ratio);
    }
    Object.assign(this, { width: box.width, height: box.height, ratio });
    const pen = this.still.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw(pen);
    this.finish();
  }

  // What was painted, with the variants that are chosen and under the pointer on top.
  finish() {
    if (!this.width) return;
    const pen = this.canvas.getContext('2d'), { accent, ink } = this.view.colours;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (const [number, colour] of [[this.hover, ink], [this.view.chosen, accent]]) {
      if (number !== null && this.table.places.has(number)) this.mark(pen, number, colour);
    }
  }
}

class StudyDots extends StudyChart {
  constructor(view) {
    super(view, 'Variants as dots over two columns');
    const choices = this.table.columns.map((c, k) => [k, c.name]);
    const { x, y, colour, front } = view.about.axes;
    this.x = this.select('x', choices, x);
    this.y = this.select('y', choices, y);
    this.by = this.select('colour', choices, colour);
    this.goals = this.select('front', [['', 'none'], ['1 1', 'least x, least y'], ['1 -1', 'least x, greatest y'],
      ['-1 1', 'greatest x, least y'], ['-1 -1', 'greatest x, greatest y']], front);
  }

  select(label, options, value) {
    const list = make('select', {}, ...options.map(([key, text]) => make('option', { value: key, textContent: text })));
    list.value = value;
    list.onchange = () => this.paint();
    this.element.firstChild.append(make('label', {}, `${label} `, list));
    return list;
  }

  columns() { return [Number(this.x.value), Number(this.y.value), Number(this.by.value)]; }

  draw(pen) {
    const { table, view } = this, [x, y, by] = this.columns();
    const [across, up] = [x, y].map((c) => rangeOf(...table.ranges[c], 0.05) || [0, 1]);
    this.frame = new Frame(this.width, this.height, across, up);
    drawAxes(pen, this.frame, view.colours, table.head(x), table.head(y));
    if (this.goals.value && table.length) {
      const [signX, signY] = this.goals.value.split(' ').map(Number);
      this.best = table.front(x, y, signX, signY);
      pen.lineWidth = 1.5;
      stroke(pen, view.colours.accent, this.best.map((number) => this.place(number)));
    } else this.best = [];
    const best = new Set(this.best), radius = table.length > 3000 ? 2 : 3.5;
    table.numbers.forEach((number, k) => {
      const [px, py] = this.place(number);
      disc(pen, px, py, best.has(number) ? radius + 1.5 : radius, table.ink(by, table.rows[k][by]),
        view.held.has(number) || best.has(number) ? view.colours.ink : view.colours.paper);
    });
    if (!table.length) write(pen, view.colours.ink, 'no variant is done yet', this.width / 2, this.height / 2, 'center', 'middle');
  }

  place(number) {
    const row = this.table.row(number), [x, y] = this.columns();
    return [this.frame.x(row[x]), this.frame.y(row[y])];
  }

  under(x, y) {
    let [found, least] = [null, NEAR];
    for (const number of this.frame ? this.table.numbers : []) {  // before the first picture nothing is anywhere
      const [px, py] = this.place(number), away = Math.hypot(px - x, py - y);
      if (away < least) [found, least] = [number, away];
    }
    return found;
  }

  mark(pen, number, ink) {
    pen.lineWidth = 2.5;
    pen.strokeStyle = ink;
    pen.beginPath();
    pen.arc(...this.place(number), 8, 0, 7);
    pen.stroke();
  }
}

class StudyLines extends StudyChart {
  constructor(view) {
    super(view, 'Variants as lines over all columns');
    this.element.firstChild.append(make('span', { className: 'soft', textContent: 'all columns, each from its least to its greatest value' }));
  }

  px(c) { return this.table.columns.length > 1 ? 46 + c * (this.width - 92) / (this.table.columns.length - 1) : this.width / 2; }

  py(c, v) { return this.height - 40 - this.table.share(c, v) * (this.height - 66); }

  points(number) { return this.table.row(number).map((v, c) => [this.px(c), this.py(c, v)]); }

  drawn() {
    const step = Math.ceil(this.table.length / MOST_LINES) || 1;
    return this.table.numbers.filter((_, k) => k % step === 0);
  }

  draw(pen) {
    const { table, view } = this, by = view.dots ? view.dots.columns()[2] : table.columns.length - 1;
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineWidth = 1;
    pen.globalAlpha = clamp(60 / Math.sqrt(table.length || 1), 0.25, 0.85);
    for (const number of this.drawn()) stroke(pen, table.ink(by, table.row(number)[by]), this.points(number));
    pen.globalAlpha = 1;
    const room = table.columns.length > 1 ? this.px(1) - this.px(0) - 6 : this.width;
    pen.font = `12px ${LETTERS}`;
    table.columns.forEach((_, c) => {
      stroke(pen, view.colours.edge, [[this.px(c), 20], [this.px(c), this.height - 34]]);
      const [low, high] = table.ranges[c];
      const side = c === 0 ? ['left', 4] : c === table.columns.length - 1 ? ['right', this.width - 4] : ['center', this.px(c)];
      write(pen, view.colours.ink, low > high ? '' : shown(high), side[1], 10, side[0], 'middle', room);
      write(pen, view.colours.ink, low > high ? '' : shown(low), side[1], this.height - 26, side[0], 'middle', room);
      write(pen, view.colours.ink, table.head(c), side[1], this.height - 9, side[0], 'middle', room);
    });
  }

  // The line that passes nearest to a pixel.
  under(x, y) {
    const last = this.table.columns.length - 1;
    if (last < 1) return null;
    const c = clamp(Math.floor((x - this.px(0)) / (this.px(1) - this.px(0))), 0, last - 1);
    const share = clamp((x - this.px(c)) / (this.px(c + 1) - this.px(c)), 0, 1);
    let [found, least] = [null, NEAR];
    for (const number of this.drawn()) {
      const row = this.table.row(number), [a, b] = [this.py(c, row[c]), this.py(c + 1, row[c + 1])];
      const away = Math.abs(a + share * (b - a) - y);
      if (away < least) [found, least] = [number, away];
    }
    return found;
  }

  mark(pen, number, ink) {
    pen.lineWidth = 3;
    stroke(pen, ink, this.points(number));
  }
}
