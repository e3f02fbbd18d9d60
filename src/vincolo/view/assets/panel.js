// The side panel: the selected part with its values, the list of parts, what is shown, vectors, key points.

function tick(text, checked, change, colour) {
  const box = make('input', { type: 'checkbox', checked });
  box.onchange = () => change(box.checked);
  const swatch = colour && make('i', { className: 'swatch' });
  if (swatch) swatch.style.background = `rgb(${colour.map((c) => Math.round(255 * c)).join(' ')})`;
  return make('label', {}, box, ...(swatch ? [swatch] : []), make('span', { textContent: text }));
}

const GROUPS = { body: 'Bodies', joint: 'Joints', spring: 'Springs and laws', drive: 'Drives', load: 'Loads',
  contact: 'Contacts', frame: 'Frames', whole: 'Whole' };
const KINDS = { body: 'bodies', joint: 'joints', ground: 'ground', spring: 'springs', drive: 'drives', load: 'loads',
  mass: 'mass marks', frames: 'frames', labels: 'labels', floor: 'grid' };

class Panel {
  constructor(player, host) {
    this.player = player;
    this.chosen = make('section', {});
    this.chosen.setAttribute('aria-live', 'off');
    this.tree = make('div', { className: 'tree' });
    this.filter = make('input', { type: 'search', id: 'filter', placeholder: 'Find a part' });
    this.filter.setAttribute('aria-label', 'Find a part');
    this.filter.oninput = () => this.list();
    this.kindHost = make('div', { className: 'ticks' });
    this.vectorHost = make('div', {});
    this.pointHost = make('div', {});
    host.append(this.chosen, this.section('Show', true, this.kindHost),
      this.section('Vectors', false, this.vectorHost), this.section('Parts', true, this.filter, this.tree),
      this.section('Key points and measuring', false, this.pointHost));
    this.cells = [];
    this.pointCells = [];
    this.renew();
  }

  // After other runs have come.
  renew() {
    this.list();
    this.listKinds();
    this.listVectors();
    this.select(false);
    this.listPoints();
  }

  // After the first run has grown: kinds of vectors that were zero may have come.
  grow() {
    const { marks } = this.player, kinds = Object.keys(VECTORS).filter((kind) => marks.available(kind));
    if (kinds.join() !== this.kinds) this.listVectors();
  }

  section(title, open, ...children) {
    const found = make('details', { open }, make('summary', { textContent: title }), ...children);
    if (title === 'Key points and measuring') this.pointSection = found;
    return found;
  }

  listKinds() {
    const { shown: on } = this.player;
    const ghosts = tick('other results', this.player.ghosts, (value) => {
      this.player.ghosts = value;
      this.player.change();
    });
    this.kindHost.replaceChildren(...Object.entries(KINDS).map(([kind, text]) => tick(text, on[kind], (value) => {
      on[kind] = value;
      this.player.change();
    })), ...(this.player.runs.length > 1 ? [ghosts] : []));
  }

  listVectors() {
    const { marks } = this.player, kinds = Object.keys(VECTORS).filter((kind) => marks.available(kind));
    this.kinds = kinds.join();
    const slider = make('input', { type: 'range', min: -1, max: 1, step: 0.05, value: Math.log10(marks.scale) });
    slider.setAttribute('aria-label', 'Scale of vectors');
    const text = make('span', { className: 'number', textContent: `${Number(marks.scale.toPrecision(2))}\u00d7` });
    slider.oninput = () => {
      marks.scale = 10 ** Number(slider.value);
      text.textContent = `${Number(marks.scale.toPrecision(2))}\u00d7`;
      this.player.change();
    };
    this.vectorHost.replaceChildren(make('div', { className: 'ticks' }, ...kinds.map((kind) =>
      tick(kind, marks.vectors.has(kind), (on) => this.player.showVectors(kind, on), VECTORS[kind].colour))),
    make('div', { className: 'row' }, tick('of the selected part only', marks.onlyChosen, (on) => {
      marks.onlyChosen = on;
      this.player.change();
    })),
    make('div', { className: 'scale' }, make('span', { textContent: 'Scale' }), slider, text));
  }

  // The list of parts, by kind.
  list() {
    const { player } = this, wanted = this.filter.value.trim().toLowerCase(), groups = new Map();
    this.buttons = new Map();
    player.runs[0].parts.forEach((part, number) => {
      if (wanted && !part.name.toLowerCase().includes(wanted)) return;
      const button = make('button', {}, make('span', { className: `name${player.hidden.has(number) ? ' hidden' : ''}`,
        textContent: part.name }), make('span', { className: 'type', textContent: part.type }));
      button.onclick = () => player.choose(number);
      this.buttons.set(number, button);
      groups.set(part.kind, [...(groups.get(part.kind) || []), make('li', {}, button)]);
    });
    this.tree.replaceChildren(...[...groups].flatMap(([kind, rows]) =>
      [make('h3', { textContent: GROUPS[kind] }), make('ul', {}, ...rows)]));
    this.markChosen();
    if (!groups.size) this.tree.append(make('p', { className: 'hint', textContent: 'There is no part of that name.' }));
  }

  markChosen() {
    this.buttons.forEach((button, number) => button.setAttribute('aria-pressed', String(number === this.player.chosen)));
  }

  // Shows the selected part.
  select(scroll = true) {
    const { player } = this, part = player.part;
    this.cells = [];
    if (!part) {
      this.chosen.replaceChildren(make('h2', { textContent: 'Nothing selected' }), make('p', { className: 'about',
        textContent: 'Click a part in the picture or in the list to see its values.' }));
    } else {
      const text = [part.type, part.about].filter(Boolean).join(', ');
      this.chosen.replaceChildren(make('h2', { textContent: part.name }),
        make('p', { className: 'about', textContent: text }),
        ...(part.shared ? [make('p', { className: 'about', textContent: 'Redundant joints share the load; rigid bodies '
          + 'do not tell how. Shown is the smallest reaction.' })] : []),
        this.actions(part), this.values(part.name, part.series, this.cells));
      if (scroll) this.chosen.scrollIntoView({ block: 'start' });
    }
    this.markChosen();
    this.update();
  }

  actions(part) {
    const { player } = this, { marks } = player, number = player.chosen, row = make('div', { className: 'row' });
    if (part.at && player.runs[0].bodies[part.at[0]].pose) {
      const key = `origin ${part.name}`;
      const text = part.kind === 'body' ? 'trace of origin' : 'trace';
      row.append(tick(text, marks.traces.has(key), (on) => marks.trace(key, part.at, on)));
    }
    if (part.centre && part.centre.slice(1).some((c) => c !== 0)) {
      const key = `centre ${part.name}`;
      row.append(tick('trace of mass centre', marks.traces.has(key), (on) => marks.trace(key, part.centre, on)));
    }
    if (part.kind === 'body') {
      row.append(tick('follow', player.followed === part.at[0], (on) => player.follow(on ? part.at[0] : null)));
      const aim = make('button', { textContent: 'Key point at click', title: 'Then click a place on this body' });
      aim.onclick = () => player.setMode('point');
      row.append(aim);
    }
    if (part.kind !== 'whole' && part.kind !== 'frame') {
      row.append(tick('hidden', player.hidden.has(number), (on) => player.hide(number, on)));
    }
    return row;
  }

  // A table of values; pressing a name plots it or takes the plot away.
  values(owner, names, kept) {
    const { player } = this, several = player.runs.length > 1;
    const table = make('table', { className: several ? 'values several' : 'values' });
    if (several) {
      table.append(make('tr', { className: 'head' }, make('th', {}), ...player.runs.map((run) =>
        make('td', { className: 'other', textContent: run.label, title: run.label })),
      make('td', { className: 'unit' })));
    }
    for (const name of sorted(names)) {
      const short = name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : name;
      const button = make('button', { textContent: short, title: `Plot ${name}` });
      button.setAttribute('aria-pressed', String(player.plots.names.includes(name)));
      button.onclick = () => player.togglePlot(name);
      const cells = player.runs.map((run, k) => ({ run, series: run.series.get(name),
        cell: make('td', { className: k ? 'number other' : 'number' }) }));
      cells[0].cell.dataset.value = name;
      const unitName = (cells.find((c) => c.series) || { series: { unit: '' } }).series.unit;
      const cell = make('td', { className: 'unit', textContent: unitName === '1' ? '' : prettyUnit(unitName) });
      table.append(make('tr', {}, make('th', { scope: 'row' }, button), ...cells.map((c) => c.cell), cell));
      kept.push(...cells.map((c) => ({ ...c, button, name })));
    }
    return make('div', { className: 'wide' }, table);
  }

  // Numbers at the time now.
  update() {
    const { time, plots } = this.player;
    for (const { run, series, cell, button, name } of [...this.cells, ...this.pointCells]) {
      const inside = time >= run.start && time <= run.end;
      const text = shown(series && inside && !run.stale ? series.at(run.place(time)) : NaN);
      if (cell.textContent !== text) cell.textContent = text;
      button.setAttribute('aria-pressed', String(plots.names.includes(name)));
    }
  }

  listPoints() {
    const { player } = this, { marks } = player;
    this.pointCells = [];
    this.pointHost.replaceChildren(...marks.points.map((point) => {
      const names = ['', 'v', 'a'].flatMap((stem) => xyz(`${point.name}.${stem}`));
      const known = names.filter((name) => player.runs[0].series.has(name));
      const remove = make('button', { textContent: 'Remove' });
      remove.onclick = () => {
        player.plots.names.filter((n) => known.includes(n)).forEach((n) => player.togglePlot(n));
        marks.removePoint(point);
        this.listPoints();
      };
      return make('div', { className: 'point' }, make('div', { className: 'row' }, make('span', {
        textContent: point.name }), remove), this.values(point.name, known, this.pointCells));
    }));
    const clear = make('button', { textContent: 'Clear measuring', disabled: !marks.measured.length });
    clear.onclick = () => player.clearMeasured();
    this.pointHost.append(make('div', { className: 'row' }, clear), make('p', { className: 'about', textContent:
      'Press Measure and pick two points for a distance, a third for an angle. Joints and mass marks are met in their '
      + 'middle.' }));
    if (marks.points.length || marks.measured.length) this.pointSection.open = true;
    this.update();
  }
}

// Values in the order people look for them: coordinates and lengths, then velocities, accelerations, reactions.
function sorted(names) {
  const rank = (name) => {
    const end = name.slice(name.lastIndexOf('.') + 1);
    if (/\.reaction\.(force|torque)$/.test(name)) return 1;
    if (/\.reaction\./.test(name)) return 7;
    const order = [/^(x|y|z)$/, /^v[xyz]$/, /^speed$/, /^a[xyz]$/, /^acceleration$/, /^w[xyz]$/,
      /^angular speed$/, /^alpha_/, /^e[0-3]$/];
    const found = order.findIndex((pattern) => pattern.test(end));
    return found < 0 ? 0 : found + 2;
  };
  return names.map((name, k) => [rank(name), k, name]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((row) => row[2]);
}
