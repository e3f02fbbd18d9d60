// A function of time as a curve, with its rate and acceleration; tables by their points, which are drawn.

const CURVE = { width: 300, height: 110, left: 44, bottom: 14, top: 8 };
const TABLES = ['Spline', 'Linear', 'Akima'];
const BASIC = { Constant: { value: 1 }, Ramp: { slope: 1 }, Sine: { amplitude: 1, frequency: 6.283185307179586 }, Cosine: { amplitude: 1, frequency: 6.283185307179586 },
  SmoothStep: { start: 0, end: 1, low: 0, high: 1 }, Poly345: { start: 0, end: 1, low: 0, high: 1 }, Cycloidal: { start: 0, end: 1, low: 0, high: 1 }, Step: { at: 0.5, low: 0, high: 1 },
  Polynomial: { coefficients: [0, 1] }, Spline: { x: [0, 0.25, 0.5, 0.75, 1], y: [0, 0.2, 1, 0.2, 0] }, Linear: { x: [0, 0.5, 1], y: [0, 1, 0] }, Akima: { x: [0, 0.25, 0.5, 0.75, 1], y: [0, 0.2, 1, 0.2, 0] },
  ModifiedTrapezoid: { start: 0, end: 1, low: 0, high: 1 }, Haversine: { start: 0, end: 1, low: 0, high: 1 }, Chirp: { amplitude: 1, first: 1, last: 20, start: 0, end: 1 } };

const brief = (v) => String(Number(v.toPrecision(3)));

class Curves {
  constructor(studio) { Object.assign(this, { studio }); }

  async open(place) {
    this.place = place;
    this.value = this.studio.model.part(place);
    this.span = this.spanOf(this.value);
    await this.show();
  }

  spanOf(value) {
    const until = Number(this.studio.model.part(['run', 'until'])), x = value && value.x;
    if (Array.isArray(x)) return [x[0], x[x.length - 1]];
    if (value && typeof value.start === 'number' && value.end > value.start) return [value.start - 0.1 * (value.end - value.start), value.end + 0.1 * (value.end - value.start)];
    return [0, until > 0 ? until : 1];
  }

  async show() {
    const { model } = this.studio, host = this.studio.properties.host, name = this.place.slice(1).join('.');
    this.studio.properties.draft = this;
    this.studio.properties.draftedFor = JSON.stringify(this.studio.selection);
    const kind = this.value && typeof this.value === 'object' ? this.value.kind : 'text in t';
    const chooser = new Field({ key: 'kind', kind: 'text', needed: true, help: model.catalogue.functions[kind]?.about || 'A text over t and the parameters.' }, kind, {
      choices: ['text in t', ...Object.keys(model.catalogue.functions)], look: async () => {}, take: (to) => this.otherKind(to) });
    this.plots = ['value', 'rate', 'acceleration'].map((title) => drawnIn('svg', { class: 'curve', viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, 'aria-label': title }));
    this.trouble = make('p', { className: 'trouble', hidden: true });
    const span = new Field({ key: 'over', kind: 'vector', unit: 's', help: 'From and to.' }, this.span.join(', '), { look: async () => {}, take: async (text) => {
      const [a, b] = text.split(',').map(Number);
      if (!(b > a)) throw new Error('Two times are needed, the second one later: 0, 2.');
      this.span = [a, b];
      await this.draw();
    } });
    host.replaceChildren(make('h2', {}, symbol('laws'), make('span', { textContent: `${name} over time` })), chooser.element, ...this.fields(kind), span.element, ...this.plots, this.trouble,
      make('div', { className: 'buttons' }, make('button', { className: 'main', textContent: 'Done', onclick: () => this.close() })));
    this.studio.tab('properties');
    await this.draw();
  }

  // The model has changed, by an undo or by another window.
  renew() {
    const value = this.studio.model.part(this.place);
    if (value === undefined) this.close();
    else if (!this.busy && JSON.stringify(value) !== JSON.stringify(this.value)) {
      this.value = value;
      this.studio.tell(this.show());
    }
  }

  close() {
    this.studio.properties.draft = null;
    this.studio.properties.show(true);
  }

  fields(kind) {
    const { model } = this.studio, about = model.catalogue.functions[kind];
    if (!about) return [this.field(null, { key: 'text', kind: 'function', needed: true, help: 'Such as 2*pi*t or w*t + 0.1*sin(t).' }, typed(this.value))];
    return about.keys.map((key) => this.field(key, { key, kind: about.types[key] === 'float' ? 'number' : 'words', needed: about.needed.includes(key), help: about.types[key] }, typed(this.value[key])));
  }

  field(key, about, text) {
    const { model } = this.studio, at = key === null ? this.place : [...this.place, key];
    return new Field(about, text, { look: (t) => model.ask('enter', { at, text: t, kind: about.kind, dry: true }), take: async (t) => {
      this.busy = true;
      await model.ask('enter', { at, text: t, kind: about.kind }).finally(() => { this.busy = false; });
      this.value = this.studio.model.part(this.place);
      await this.draw();
    } }).element;
  }

  async otherKind(to) {
    const made = to === 'text in t' ? '2*pi*t' : { kind: to, ...BASIC[to] };
    await this.put(made);
    this.span = this.spanOf(this.value);
    await this.show();
  }

  async put(value) {
    this.busy = true; // what comes back is known here
    try {
      await this.studio.model.act({ do: 'change', at: this.place, value });
      this.value = value;
    } finally { this.busy = false; }
  }

  async draw() {
    try {
      const { t, values } = await this.studio.model.ask('sample', { data: this.value, first: this.span[0], last: this.span[1] });
      this.trouble.hidden = true;
      ['accent', 'soft', 'warn-ink'].forEach((colour, k) => this.plot(this.plots[k], t, values[k], colour, ['value', 'rate', 'acceleration'][k]));
      if (this.value && TABLES.includes(this.value.kind)) this.points(this.plots[0], values[0]);
    } catch (error) {
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
    }
  }

  scales(values) {
    const fine = values.filter((v) => v !== null), own = this.value && this.value.y && values === this.first ? this.value.y : [];
    let low = Math.min(...fine, ...own), high = Math.max(...fine, ...own);
    if (!(high > low)) [low, high] = [low - 1, high + 1];
    const { width, height, left, bottom, top } = CURVE, [a, b] = this.span;
    return { low, high, x: (t) => left + (width - left - 6) * (t - a) / (b - a), y: (v) => top + (height - top - bottom) * (high - v) / (high - low),
      when: (px) => a + (px - left) / (width - left - 6) * (b - a), back: (py) => high - (py - top) / (height - top - bottom) * (high - low) };
  }

  plot(svg, t, values, colour, title) {
    const { low, high, x, y } = this.scales(values), pieces = [];
    values.forEach((v, k) => {
      if (v === null || !k || values[k - 1] === null) pieces.push([]);
      if (v !== null) pieces[pieces.length - 1].push(`${x(t[k]).toFixed(1)},${y(v).toFixed(1)}`);
    });
    const words = (text, px, py, anchor = 'end') => {
      const found = drawnIn('text', { x: px, y: py, 'text-anchor': anchor });
      found.textContent = text;
      return found;
    };
    const axis = drawnIn('line', { x1: CURVE.left, x2: CURVE.width - 6, y1: y(clamp(0, low, high)), y2: y(clamp(0, low, high)), stroke: 'var(--edge)' });
    svg.ondblclick = null;
    svg.replaceChildren(axis, ...pieces.map((p) => drawnIn('polyline', { points: p.join(' '), stroke: `var(--${colour})` })), words(brief(high), CURVE.left - 4, y(high) + 8),
      words(brief(low), CURVE.left - 4, y(low)), words(title, CURVE.width - 8, 12), words(`${brief(this.span[0])} s`, CURVE.left, CURVE.height - 3, 'start'), words(`${brief(this.span[1])} s`, CURVE.width - 6, CURVE.height - 3));
  }

  // Points of a table: moved by the mouse or by arrow keys, added by a double click, removed by Delete.
  points(svg, values) {
    const scale = this.scales(values), { x, y } = this.value;
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return [scale.when((event.clientX - box.left) * CURVE.width / box.width), scale.back((event.clientY - box.top) * CURVE.height / box.height)];
    };
    const short = (v) => Number(v.toPrecision(4));
    // Other points in the place of these; the one that was touched keeps the focus.
    const change = async (points, k) => {
      await this.put({ ...this.value, x: points.map(([t]) => t), y: points.map(([, v]) => v) }).catch((error) => tellFor(error.message, 8));
      this.renewFields();
      await this.draw();
      svg.querySelectorAll('circle')[k]?.focus();
    };
    const all = x.map((t, k) => [t, y[k]]), between = (t, k) => clamp(t, k ? x[k - 1] + 1e-3 * (x[k] - x[k - 1]) : t, k + 1 < x.length ? x[k + 1] - 1e-3 * (x[k + 1] - x[k]) : t);
    const moved = (k, t, v) => change(all.map((p, n) => (n === k ? [short(between(t, k)), short(v)] : p)), k);
    svg.ondblclick = (event) => {
      const [t, v] = at(event), k = x.filter((one) => one < t).length;
      if (!x.includes(short(t))) change([...all.slice(0, k), [short(t), short(v)], ...all.slice(k)], k);
    };
    svg.append(...all.map(([t, v], k) => {
      const mark = drawnIn('circle', { cx: scale.x(t), cy: scale.y(v), r: 4, tabindex: 0, 'aria-label': `point ${k + 1}: ${brief(v)} at ${brief(t)} s` });
      mark.onpointerdown = (event) => {
        mark.setPointerCapture(event.pointerId);
        let begun = false;
        mark.onpointermove = (e) => {
          begun = true;
          const [to, height] = at(e);
          mark.setAttribute('cx', scale.x(between(to, k)));
          mark.setAttribute('cy', scale.y(height));
        };
        mark.onpointerup = (e) => {
          mark.onpointermove = mark.onpointerup = null;
          if (begun) moved(k, ...at(e));
        };
      };
      mark.ondblclick = (event) => event.stopPropagation();
      mark.onkeydown = (event) => {
        const [right, up] = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] }[event.key] || [0, 0];
        if (right || up) moved(k, t + 0.02 * right * (this.span[1] - this.span[0]), v + 0.02 * up * (scale.high - scale.low));
        else if (event.key === 'Delete') change(all.filter((_, n) => n !== k), Math.max(k - 1, 0));
        else return;
        event.preventDefault();
        event.stopPropagation();
      };
      return mark;
    }));
  }

  // The texts of the fields, when a curve was changed by its points.
  renewFields() {
    for (const { field } of this.studio.properties.host.querySelectorAll('.field')) {
      if (field && field.about.key in this.value) {
        field.text = typed(this.value[field.about.key]);
        field.input.value = field.text;
      }
    }
  }
}
