// The mechanism explained: how it closes, its rows, the pattern of its Jacobian, reactions, energy.

const LESSONS = ['assembly', 'rows', 'jacobian', 'reactions', 'energy'];
const UNKNOWNS = ['v', '\u03c9'].flatMap((u) => ['x', 'y', 'z'].map((axis) => `${u}${axis}`)); // of a body

class Lessons {
  constructor(studio, host) {
    Object.assign(this, { studio, host, topic: 0 });
    $('teach').onclick = () => this.open($('teach').getAttribute('aria-pressed') !== 'true');
  }

  open(on) {
    $('teach').setAttribute('aria-pressed', String(on));
    $('tab-lesson').hidden = !on;
    this.studio.tab(on ? 'lesson' : 'properties');
    if (on) this.show();
  }

  async show() {
    if ($('tab-lesson').hidden) return;
    const topic = LESSONS[this.topic], { player, model } = this.studio;
    const step = (by) => () => {
      this.topic = clamp(this.topic + by, 0, LESSONS.length - 1);
      this.show();
    };
    const head = make('div', { className: 'buttons' }, make('button', { textContent: '\u2039 Back', disabled: !this.topic, onclick: step(-1) }),
      make('b', { textContent: `${this.topic + 1}. ${topic}` }), make('button', { textContent: 'Next \u203a', disabled: this.topic === LESSONS.length - 1, onclick: step(1) }),
      make('button', { textContent: 'Again', title: 'At the time that is shown now', onclick: () => this.show() }));
    try {
      const said = await model.ask('lesson', { topic, time: player ? player.time : null });
      this.host.replaceChildren(head, make('p', { className: 'about', textContent: `${said.text}\n\nat t = ${shown(said.t)} s` }), ...(said.steps ? [this.closing(said.steps)] : []), ...(said.entries ? [this.pattern(said)] : []), ...(said.table ? [this.table(said.table)] : []));
    } catch (error) { this.host.replaceChildren(head, make('p', { className: 'trouble', textContent: error.message })); }
  }

  // The steps by which the mechanism closes, one after the other on the stage.
  closing(gaps) {
    const told = make('span', { className: 'number' }), bar = make('input', { type: 'range', min: 0, max: gaps.length - 1, step: 1, value: gaps.length - 1, ariaLabel: 'Step of closing' });
    const tell = () => { told.textContent = `step ${bar.value} of ${gaps.length - 1}: open by ${shown(gaps[bar.value])}`; };
    bar.oninput = () => {
      tell();
      this.studio.tell(this.studio.model.ask('lesson', { topic: 'assembly', step: Number(bar.value) }));
    };
    tell();
    return make('div', { className: 'sliding' }, bar, told);
  }

  table([head, ...rows]) {
    const cells = (tag, row) => make('tr', {}, ...row.map((c) => make(tag, { textContent: typeof c === 'number' && !Number.isInteger(c) ? shown(c) : String(c) })));
    return make('table', {}, cells('th', head), ...rows.map((row) => {
      const line = cells('td', row), name = row.find((c) => typeof c === 'string' && this.studio.model.find(c));
      line.onclick = () => name && this.studio.highlight([name]);
      return line;
    }));
  }

  // Entries of J that are not zero, coloured by sign.
  pattern({ shape: [rows, columns], entries, bodies, rows: owners }) {
    const scale = clamp(Math.floor(600 / Math.max(columns, 1)), 2, 14), canvas = make('canvas', { width: Math.max(columns, 1) * scale, height: Math.max(rows, 1) * scale });
    const pen = canvas.getContext('2d'), colours = this.studio.player.colours;
    pen.strokeStyle = colours.faint;
    for (let k = 6; k < columns; k += 6) pen.strokeRect(k * scale, 0, 0.5, rows * scale);
    for (const [i, j, v] of entries) {
      pen.fillStyle = v > 0 ? colours.accent : '#d2691e';
      pen.fillRect(j * scale + 1, i * scale + 1, scale - 1.500, scale - 1.500);
    }
    const told = make('p', { className: 'about', textContent: 'Point at an entry to read it.' }), found = new Map(entries.map(([i, j, v]) => [`${i} ${j}`, v]));
    canvas.onpointermove = ({ offsetX, offsetY }) => {
      const [j, i] = [Math.floor(offsetX / canvas.clientWidth * columns), Math.floor(offsetY / canvas.clientHeight * rows)], v = found.get(`${i} ${j}`);
      told.textContent = `Row ${i} of ${owners[i]}, ${UNKNOWNS[j % 6]} of ${bodies[Math.floor(j / 6)]}: ${v === undefined ? '0' : shown(v)}`;
    };
    canvas.onclick = ({ offsetY }) => this.studio.highlight([owners[Math.floor(offsetY / canvas.clientHeight * rows)]]);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Jacobian with ${rows} rows and ${columns} columns, ${entries.length} entries`);
    return make('div', {}, canvas, told);
  }
}
