// Runs: begun, held, ended, exported, compared; and a number studied with a slider.

class Runs {
  constructor(studio) {
    this.studio = studio;
    this.phase = 'none';
    $('run').onclick = () => this.run();
    $('hold').onclick = () => this.ask(this.phase === 'paused' ? 'resume' : 'pause');
    $('end').onclick = () => this.ask(this.tried ? 'cancel' : 'stop');
    $('export').onclick = () => this.studio.files.browse('Write the results (.csv, .xlsx, .html, .h5, ...)', 'Write', `${String(this.studio.model.tree.name || 'results')}.csv`.replaceAll(/[^\w.-]+/g, '_'),
      async (path) => {
        const done = await this.studio.files.careful('export', { path });
        if (done) tellFor(`Written: ${done.path}`, 4);
      });
    $('compare').onclick = () => this.compare();
  }

  ask(type, data) { return this.studio.model.ask(type, data).catch((error) => tellFor(error.message, 12)); }

  run() {
    document.activeElement?.blur();
    this.studio.highlight([]);
    return this.ask('run');
  }

  // What the program says about a run.
  said({ phase, share, reason, summary }) {
    this.phase = phase;
    const busy = phase === 'running' || phase === 'paused';
    $('hold').disabled = !busy;
    $('end').disabled = !busy && !this.tried;
    $('hold').textContent = phase === 'paused' ? 'Go on' : 'Hold';
    $('export').disabled = phase === 'none';
    $('share').hidden = !busy && !this.tried;
    if (share !== undefined) $('share').value = share;
    if (summary === undefined) return;
    [$('place').textContent, $('place').title] = [summary.split('\n')[0], summary];
    if (!reason) this.studio.tab('side'); // it has just ended
  }

  // What the program says about a trial: a slider or a comparison that takes its time.
  trial({ on, share = 0, text = '' }) {
    this.tried = on;
    $('end').disabled = $('share').hidden = !on;
    $('share').value = share;
    $('share').title = on ? `${text}: ${Math.round(100 * share)} %` : '';
    if (on) $('place').textContent = `${text} is computed; End leaves it.`;
    else if (/ is computed; End leaves it\.$/.test($('place').textContent)) $('place').textContent = '';
  }

  async compare() {
    const { model } = this.studio, known = model.catalogue.solvers.formulation, lists = [0, 1].map((k) => make('select', {}, ...known.map((f) => make('option', { value: f, textContent: f }))));
    lists[0].value = known[0];
    lists[1].value = known[1];
    const told = make('pre', { textContent: 'The same model is run twice; the second one is shown as a ghost, and plots show both.' });
    const go = make('button', { className: 'main', textContent: 'Compare', onclick: async () => {
      go.disabled = true;
      stop.disabled = false;
      told.textContent = 'It is computed\u2026';
      try {
        const { compared } = await model.ask('compare', { formulations: lists.map((l) => l.value) });
        told.textContent = (compared || []).map(([name, s, r, e, reason]) => `${name}: ${s.toFixed(3)} s of computing, joints open by at most ${shown(r)}, total energy changes by ${shown(e)} J${reason ? `; it ended early: ${reason}` : ''}`).join('\n')
          || 'It was ended before it was done.';
      } catch (error) { told.textContent = error.message; }
      go.disabled = false;
      stop.disabled = true;
      go.focus();
    } });
    const stop = make('button', { textContent: 'End it', title: 'Leave what is computed', disabled: true, onclick: () => this.ask('cancel') });
    this.studio.files.dialog('Two formulations side by side', make('div', { className: 'buttons' }, ...lists), make('div', { className: 'buttons' }, go, stop), told);
  }

  // A slider under a number: the run follows; the model changes only when the value is taken.
  slider(button, place, value) {
    const field = button.closest('.field'), old = field.querySelector('.sliding');
    if (old) {
      this.ask('cancel');
      this.ask('reset'); // the model itself is shown again
      return old.remove();
    }
    const number = Number.parseFloat(value);
    if (!Number.isFinite(number)) return tellFor('A slider takes a plain number; a formula is studied by its parameters.', 6);
    const span = Math.abs(number) || 1, name = place[0] === 'parameters' ? place[1] : place.slice(1).join('.');
    const bar = make('input', { type: 'range', min: number - span, max: number + span, step: span / 100, value: number, ariaLabel: `${name}, studied` });
    const told = make('span', { className: 'number', textContent: shown(number) });
    const unitText = typeof value === 'string' ? value.replace(/^[-+\d.eE]+/, '') : '';
    bar.oninput = () => {
      told.textContent = shown(Number(bar.value));
      this.studio.model.ask('slide', { name, value: unitText ? `${bar.value}${unitText}` : Number(bar.value) }).then(() => field.classList.remove('bad'), () => field.classList.add('bad'));
    };
    const taken = make('button', { className: 'small', textContent: 'Take', title: 'Changes the model', onclick: () => this.ask('enter', { at: place, text: `${Number(bar.value)}${unitText}`, kind: 'number' }) });
    field.append(make('div', { className: 'sliding' }, bar, told, taken));
    return bar.focus();
  }
}
