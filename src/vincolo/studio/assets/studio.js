// The studio: the stage in the middle, the model around it, and keys for all of it.

class Studio extends Live {
  constructor(about) {
    super(about);
    this.selection = [];
    this.lastPoint = null;
    this.model = new Mechanism(this.link);
    this.tree = new Tree(this, $('tree'));
    this.properties = new Properties(this, $('properties'));
    this.palette = new Palette(this, $('palette'));
    this.handles = new Handles(this);
    this.curves = new Curves(this);
    this.files = new FileDialogs(this);
    this.runs = new Runs(this);
    this.lessons = new Lessons(this, $('lesson'));
    Object.assign(this.link.heard, { catalogue: (m) => this.takeCatalogue(m), model: (m) => this.takeModel(m), done: (m) => this.model.done(m), run: (m) => this.runs.said(m),
      remains: (m) => this.takeRemains(m), settled: () => this.settled(), hand: (m) => this.takeHand(m), moving: (m) => this.handles.takeMoving(m), trial: (m) => this.runs.trial(m), scene: (m, array) => this.takeScene(m, array), grow: (m, array) => this.takeGrowth(m, array) });
    this.listen();
  }

  // ---- what the program says

  takeCatalogue(message) {
    this.model.catalogue = message;
    this.palette.show();
  }

  takeModel(message) {
    const first = !this.model.said.tree;
    this.model.take(message);
    this.selection = this.selection.filter((place) => place.length === 1 || this.model.has(place));
    document.title = `${message.title}${message.dirty ? ' \u2022' : ''} \u2013 vincolo studio`;
    const h1 = document.querySelector('h1');
    h1.textContent = message.title;
    h1.title = message.path || message.folder;
    h1.classList.toggle('dirty', message.dirty);
    $('undo').disabled = !message.undo.length;
    $('undo').title = `Undo${message.undo.length ? `: ${message.undo[0]}` : ''} (Ctrl+Z)`;
    $('redo').disabled = !message.redo.length;
    $('redo').title = `Redo${message.redo.length ? `: ${message.redo[0]}` : ''} (Ctrl+Shift+Z)`;
    this.runs.said(message.run);
    this.status(message);
    this.tree.show();
    this.properties.show();
    if (first && !message.path && !message.dirty && !this.model.names('bodies').length) this.files.begin();
    this.lessons.show();
  }

  takeRemains({ remains }) { this.remains = remains; }

  takeScene(message, array) {
    const { title } = message, whole = this.player && this.allSeen();
    this.scene({ ...message, title: document.title }, array);
    document.querySelector('h1').textContent = title;
    this.moved();
    if (this.handles.moving) return; // it comes many times a second
    this.drawnByHand(false);
    this.keepInView(whole);
    this.plotFirst(message.plots || []);
    this.tree.show();
    this.choose();
  }

  // Looks at all of it again when the mechanism has outgrown the view, or has become small in it.
  keepInView(whole) {
    const { player } = this, { size, centre } = player.runs[0], before = this.seen;
    const ratio = before ? size / before.size : 0, far = before ? length(sub(centre, before.centre)) / size : 0;
    if (ratio > 0.75 && ratio < 1.330 && far < 0.5 && (!whole || this.allSeen())) return;
    this.seen = { size, centre };
    player.fit();
  }

  allSeen() {
    const view = this.player.view();
    return this.player.cloud.every((p) => {
      const at = onScreen(view, p, view.width, view.height);
      return at && at[0] > 0 && at[1] > 0 && at[0] < view.width && at[1] < view.height;
    });
  }

  // Plots to begin with, if there are none yet: those of the program, or the first coordinates that there are.
  plotFirst(names) {
    const { player } = this, run = player.runs[0], { plots } = player;
    if (!(run.t.length > 1)) return;
    const kept = plots.names.filter((name) => player.runs.some((r) => r.series.has(name))), gone = kept.length < plots.names.length; // another model has others
    plots.names = kept;
    if (gone) plots.arrange();
    if (kept.length) return;
    const found = names.length ? names : run.parts.filter((p) => p.kind === 'joint').flatMap((p) => p.series.filter((s) => /^(angle|travel)$/.test(s.slice(p.name.length + 1)))).slice(0, 3);
    plots.names.push(...found);
    plots.arrange();
  }

  takeGrowth(message, array) {
    if (!this.player) return;
    this.grow(message, array);
    this.moved();
    this.plotFirst([]);
  }

  // A run is over: nothing more will come.
  settled() {
    this.player.setGrowing(false);
    $('loop').checked = true;
  }

  takeHand({ left }) {
    const far = left > 2e-3 * this.player.runs[0].size;
    this.drawnByHand(true);
    $('place').textContent = far ? 'The point cannot follow the hand: the joints hold it.' : '';
  }

  // Whether the mechanism is elsewhere than at its beginning, by hand.
  drawnByHand(on) {
    if (!on && !$('keep').hidden) $('place').textContent = '';
    $('keep').hidden = $('again').hidden = !on;
  }

  keep() { if (!$('keep').hidden) this.tell(this.model.ask('keep').then(() => tellFor('Runs begin here now. Undo takes it back.', 4))); }

  // The bar of time and plots are there when something moves.
  moved() {
    const still = !(this.player.end > this.player.start);
    if (document.body.classList.contains('still') === still) return;
    document.body.classList.toggle('still', still);
    this.player.plots.arrange();
    this.player.change();
  }

  status({ freedom, problems }) {
    const words = (n, one, many) => `${n} ${n === 1 ? one : many}`;
    $('freedom').textContent = !freedom.known ? freedom.text || '' : [words(freedom.dof, 'degree of freedom', 'degrees of freedom'), freedom.drives ? words(freedom.drives, 'driven', 'driven') : '',
      freedom.redundant ? words(freedom.redundant, 'redundant row', 'redundant rows') : 'nothing redundant'].filter(Boolean).join(', ');
    const grave = problems.filter((p) => p.grave).length;
    $('problems').hidden = !problems.length;
    $('problems').classList.toggle('grave', grave > 0);
    $('problems').textContent = grave ? words(grave, 'mistake', 'mistakes') : words(problems.length, 'note', 'notes');
    $('problems').title = problems.slice(0, 8).map((p) => p.text).join('\n\n');
  }

  // ---- selection

  begin(runs, plots) {
    super.begin(runs, plots);
    const { player } = this, choose = player.choose.bind(player), click = player.click.bind(player);
    player.layers.push(this.handles);
    player.grab = (x, y, event) => this.handles.grab(x, y, event) || this.grabbed(x, y, event);
    player.choose = (number) => {
      choose(number);
      if (!this.choosing) this.selectNamed(number < 0 ? null : player.runs[0].parts[number].name);
    };
    player.click = (x, y) => {
      if (!this.handles.clicked(x, y)) click(x, y);
    };
  }

  selectNamed(name) {
    const place = name === null ? null : this.model.find(name);
    this.select(place ? [place] : [], this.adding && place);
  }

  select(places, more = false) {
    const key = JSON.stringify(places[0]);
    const without = this.selection.filter((p) => JSON.stringify(p) !== key);
    this.selection = more ? (without.length < this.selection.length ? without : [...this.selection, ...places]) : places;
    this.properties.draft = null;
    this.tree.show();
    this.properties.show(true);
    this.choose();
    if (places.length) this.tab('properties');
  }

  // Marks what is selected on the stage.
  choose() {
    const { player } = this, [place] = this.selection.slice(-1);
    if (!player) return;
    const name = place && place.length > 1 ? place[1] : null, number = player.runs[0].parts.findIndex((p) => p.name === name);
    this.choosing = true;
    if (number !== player.chosen) player.choose(number);
    this.choosing = false;
    player.change();
  }

  highlight(names) {
    this.handles.concerned = names;
    this.player?.change();
  }

  tab(name) {
    for (const one of ['properties', 'side', 'lesson']) {
      $(one).hidden = one !== name;
      $(`tab-${one}`).setAttribute('aria-selected', String(one === name));
    }
  }

  // ---- editing

  tell(promise) { return promise.catch((error) => tellFor(error.message, 12)); }

  async remove(places) {
    if (!places.length) return;
    const at = places.filter((p) => p.length > 1);
    try {
      await this.model.act({ do: 'remove', at });
    } catch (error) {
      if (!error.others) return void tellFor(error.message, 10);
      if (await this.files.sure(error.message, 'Remove all')) this.tell(this.model.act({ do: 'remove', at, dependents: 'remove' }));
    }
  }

  async copy(cut) {
    const at = this.selection.filter((p) => p.length > 1);
    if (!at.length) return;
    const { text } = await this.model.ask('copy', { at });
    this.clip = text;
    await navigator.clipboard?.writeText(text).catch(() => {}); // a browser may refuse; within this window it works all the same
    if (cut) await this.remove(at);
    else tellFor(`Copied: ${at.map((p) => p[1]).join(', ')}`, 2);
  }

  async paste(text, shift = null) {
    const { added } = await this.model.ask('paste', { text, shift });
    this.select(added.filter(([s]) => !['parameters', 'points', 'looks'].includes(s)));
  }

  async duplicate() {
    const at = this.selection.filter((p) => p.length > 1);
    if (!at.length) return;
    const { text } = await this.model.ask('copy', { at });
    await this.paste(text, [2 * this.handles.step(), 2 * this.handles.step(), 0]);
  }

  // Moves a part up or down in its section.
  shift(by) {
    const [place] = this.selection.slice(-1);
    if (!place || place.length < 2) return;
    const names = this.model.names(place[0]), k = names.indexOf(place[1]), before = names[by < 0 ? k - 1 : k + 2] ?? null;
    if (by < 0 && k < 1) return;
    this.tell(this.model.act({ do: 'move', at: place, before }));
  }

  grabMode(on) {
    $('hand').setAttribute('aria-pressed', String(on));
    $('move').setAttribute('aria-pressed', String(!on));
    this.handles.on = !on;
    $('place').textContent = '';
    this.grab({ on, hint: on ? 'Draw a body: joints stay closed' : '' });
    this.tell(this.model.ask('reset'));
    this.player?.change();
  }

  // ---- page and keys

  listen() {
    $('undo').onclick = () => this.tell(this.model.ask('undo'));
    $('redo').onclick = () => this.tell(this.model.ask('redo'));
    $('hand').onclick = () => this.grabMode($('hand').getAttribute('aria-pressed') !== 'true');
    $('move').onclick = () => this.grabMode(false);
    $('keep').onclick = () => this.keep();
    $('again').onclick = () => this.tell(this.model.ask('reset'));
    $('line').textContent = 'The program behind this page does not answer; what was done is kept on its disk.';
    for (const one of ['properties', 'side', 'lesson']) $(`tab-${one}`).onclick = () => this.tab(one);
    $('freedom').onclick = async () => {
      const { freedom } = this.model.said, { text } = await this.model.ask('freedom');
      this.highlight(this.handles.concerned.length ? [] : (freedom.groups || []).flat());
      if (text && this.handles.concerned.length) this.files.dialog('Freedom and redundancy', make('pre', { textContent: text }));
    };
    $('problems').onclick = () => this.files.dialog('What is wrong, or worth a look', make('div', { className: 'listed' }, ...this.model.said.problems.map((p) => make('button', {
      textContent: p.text, onclick: (event) => {
        event.target.closest('dialog').close();
        if (p.at.length) this.select([p.at.slice(0, 2)]);
      } }))));
    $('scene').addEventListener('pointerdown', (event) => { this.adding = event.ctrlKey || event.metaKey; }, true);
    document.addEventListener('keydown', (event) => this.keys(event), true);
    document.addEventListener('paste', (event) => this.pasted(event));
    for (const type of ['copy', 'cut']) {
      document.addEventListener(type, (event) => {
        if (this.typing(event.target) || String(window.getSelection())) return;
        event.preventDefault();
        this.tell(this.copy(type === 'cut'));
      });
    }
  }

  typing(target) { return target && (['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) && !['range', 'checkbox'].includes(target.type) || target.closest?.('dialog')); }

  pasted(event) {
    if (this.typing(event.target)) return;
    const text = event.clipboardData?.getData('text') || this.clip;
    event.preventDefault();
    if (text) this.tell(this.paste(text));
  }

  keys(event) {
    const key = event.key.toLowerCase(), control = event.ctrlKey || event.metaKey, typing = this.typing(event.target);
    const acts = control ? { z: () => this.tell(this.model.ask(event.shiftKey ? 'redo' : 'undo')), y: () => this.tell(this.model.ask('redo')), s: () => this.files.save(event.shiftKey),
      o: () => this.files.open(), f: () => $('sought').focus(), enter: () => this.runs.run(), d: () => this.tell(this.duplicate()), ...(event.shiftKey ? { n: () => this.files.begin() } : {}) }
      : { delete: () => this.remove(this.selection), g: () => this.grabMode(false), h: () => this.grabMode(true), k: () => this.keep(), a: () => this.handles.takeAlong(!this.handles.along), f2: () => $('properties').querySelector('.title input')?.select(),
        escape: () => this.escape() };
    const act = !control && event.target.closest?.('.curve') ? null : acts[key]; // a curve has keys of its own
    if (!act || document.querySelector('dialog[open]') || (typing && !(control && ['s', 'o', 'enter', 'f'].includes(key)) && key !== 'f2')) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  escape() {
    if (this.handles.aim) return this.handles.endPick();
    if (this.handles.moving) return this.handles.cancel();
    this.highlight([]);
    if (this.player.mode) return this.player.setMode(null);
    return this.select([]);
  }
}

new Studio(unpacked().about);
