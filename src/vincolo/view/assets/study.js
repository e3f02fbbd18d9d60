// A study on a page: how far it has come, its variants in two pictures, and the one that is chosen.

class StudyView {
  // `open(number)` is called when a variant is chosen; `about` tells columns, rows, axes and what is held in the page.
  constructor(about, array, open) {
    Object.assign(this, { about, open, chosen: null, table: new StudyTable(about), held: new Set(about.held || []) });
    document.body.classList.add('study');
    document.body.classList.toggle('bare', !about.runs);
    this.readColours();
    this.bar = make('progress', { max: 1, value: 1, hidden: true });
    this.line = make('p', { className: 'soft' });
    this.line.setAttribute('role', 'status');
    this.dots = new StudyDots(this);
    this.lines = new StudyLines(this);
    this.dots.by.addEventListener('change', () => this.lines.paint());
    this.variant = this.variantBox();
    this.element = make('section', { id: 'study' }, make('div', { className: 'how-far' }, this.bar, this.line),
      this.dots.element, this.lines.element, this.variant);
    this.element.setAttribute('aria-label', 'Study');
    document.querySelector('main').before(this.element);
    this.fill(about, array);
    new ResizeObserver(() => this.paint()).observe(this.element);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.readColours();
      this.paint();
    });
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(['ink', 'faint', 'edge', 'accent', 'paper'].map((name) => [name,
      style.getPropertyValue(`--${name}`).trim()]));
  }

  // The chosen variant: its number, which can be typed, its numbers, and what is told of it.
  variantBox() {
    this.number = make('input', { type: 'number', min: 0, max: this.about.count - 1, step: 1 });
    this.number.onchange = () => this.choose(Number(this.number.value));
    this.values = make('table', { className: 'values' });
    this.told = make('p', { className: 'soft', textContent: this.about.hint });
    this.told.setAttribute('role', 'status');
    this.offer = make('button', { hidden: true });
    return make('div', { className: 'variant' }, make('label', {}, 'Variant ', this.number), this.told, this.offer,
      this.values);
  }

  // Rows that are done, and what is told of all.
  fill({ rows, told, share }, array) {
    if (rows) this.table.add(Array.from(array(rows.numbers)), array(rows.values));
    if (told !== undefined) this.line.textContent = told;
    if (share !== undefined) {
      this.bar.hidden = share >= 1;
      this.bar.value = share;
    }
    this.paint();
  }

  paint() {
    if (this.painting) return;
    this.painting = requestAnimationFrame(() => {
      this.painting = 0;
      this.dots.paint();
      this.lines.paint();
    });
  }

  choose(number) {
    if (!Number.isInteger(number) || number < 0 || number >= this.about.count) return;
    this.chosen = number;
    this.number.value = number;
    const row = this.table.row(number);
    this.values.replaceChildren(...(row || []).map((v, c) => make('tr', {}, make('th', { textContent: this.table.columns[c].name }),
      make('td', { className: 'number', textContent: shown(v) }), make('td', { className: 'unit',
        textContent: prettyUnit(this.table.columns[c].unit) }))));
    this.offer.hidden = true;
    this.say('');
    this.dots.finish();
    this.lines.finish();
    this.open(number);
  }

  say(text) { this.told.textContent = text; }

  // A button that chooses another variant.
  propose(number, text) {
    this.offer.hidden = false;
    this.offer.textContent = text;
    this.offer.onclick = () => this.choose(number);
  }

  // For scripts: what is shown, and the pixels of the window where a variant is in both pictures.
  get offered() {
    const within = (chart, [x, y]) => {
      const box = chart.canvas.getBoundingClientRect();
      return [box.left + x, box.top + y];
    };
    return {
      state: () => ({ done: this.table.length, drawn: Boolean(this.dots.frame), count: this.about.count, chosen: this.chosen, line: this.line.textContent,
        told: this.told.textContent, share: this.bar.value, front: this.dots.best, columns: this.table.columns.map((c) => c.name) }),
      choose: (number) => this.choose(number),
      dot: (number) => within(this.dots, this.dots.place(number)),
      lineAt: (number) => {
        const [[ax, ay], [bx, by]] = this.lines.points(number);
        return within(this.lines, [0.7 * ax + 0.3 * bx, 0.7 * ay + 0.3 * by]);
      },
    };
  }
}

// A page of a study that is complete in itself: some variants are in it with their motion.
function beginStudy({ about, array }) {
  const runs = new Map((about.runs || []).map((run, k) => [about.study.held[k], new Run(run, array, k)]));
  let player = null;
  const show = (number) => {
    const run = runs.get(number);
    if (!run) return;
    if (player) player.renew([run]);
    else player = new Player({ ...about, runs: [run] });
    player.scrub(player.start);
    player.play(true);
  };
  const view = new StudyView({ ...about.study, runs: runs.size }, array, (number) => {
    if (!about.study.models) return;
    if (runs.has(number)) view.say('It is shown beside.');
    else {
      view.say(`Its motion is not in this page. In Python: found.run(${number}).show(), or found.show() for a page in which `
        + 'every variant opens.');
      const near = view.table.row(number) ? view.table.nearest(number, [...runs.keys()]) : undefined;
      if (near !== undefined) view.propose(near, `Show variant ${near}, the nearest in this page`);
    }
    show(number);
  });
  if (runs.size) view.choose(about.study.held[0]);
  Object.defineProperty(window, 'vincolo', { configurable: true, get: () => Object.assign(player ? offered(player) : {},
    { study: view.offered }) });
}
