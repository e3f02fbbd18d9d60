// A page that a program feeds: runs that change and grow, poses, controls, messages; and what the user draws.

const DRAWN_OFTEN = 25; // ms between places of the pointer that are told

class Live {
  constructor(about) {
    this.about = about;
    this.player = null;
    this.waits = [];
    $('waiting').hidden = false;
    this.link = new Link(Object.fromEntries(this.acts.map((act) => [act, (...given) => this[act](...given)])),
      (open) => this.connected(open));
  }

  // What the program may say, by the names of methods.
  get acts() { return ['scene', 'grow', 'poses', 'controls', 'control', 'time', 'error', 'note', 'grab']; }

  connected(open) {
    document.body.classList.toggle('alone', !open);
    $('line').hidden = open;
  }

  // The runs to show, for the first time or others in their place.
  scene({ title, runs, plots, fit, growing, loop, play, trace, look }, array) {
    const made = runs.map((run, k) => new Run(run, array, k));
    document.title = title;
    document.querySelector('h1').textContent = title;
    const first = !this.player;
    if (!first) this.player.renew(made, { fit });
    else {
      this.begin(made, plots, growing);
      if (growing) $('speed').value = 1;
    }
    if (look && (first || fit)) {
      this.player.look(look);
      this.player.fit();
    }
    if (loop !== undefined) $('loop').checked = loop;
    this.player.setGrowing(Boolean(growing));
    for (const { name, at } of made[0].parts) {
      if (trace && trace.includes(name)) this.player.marks.trace(`origin ${name}`, at, true);
    }
    if (play !== undefined) this.player.play(play);
  }

  begin(runs, plots, growing) {
    this.player = new Player({ ...this.about, runs, plots: plots || [], growing });
    this.controlPanel = new Controls($('side'), this.link);
    this.waits.forEach((act) => act());
    this.player.grab = (x, y, event) => this.grabbed(x, y, event);
    this.offer();
    $('waiting').hidden = true;
  }

  offer() {
    Object.defineProperty(window, 'vincolo', { value: Object.assign(offered(this.player), { live: this }),
      configurable: true });
  }

  // What comes before the first scene is done after it.
  then(act) { if (this.player) act(); else this.waits.push(act); }

  // More samples of the first run.
  grow({ run, growing }, array) { this.player.grow(run, array, growing); }

  // All bodies at other places: seven numbers each, in the order of the scene without ground.
  poses({ poses }, array) { this.player.setPoses(array(poses)); }

  controls(message) { this.then(() => this.controlPanel.build(message)); }

  control(message) { this.then(() => this.controlPanel.change(message)); }

  time({ time, play }) {
    this.then(() => {
      if (time !== undefined) this.player.scrub(time);
      if (play !== undefined) this.player.play(play);
    });
  }

  error({ text }) { tellFor(text, 12); }

  note({ text }) { tellFor(text, 5); }

  // Whether bodies can be drawn with the mouse.
  grab({ on, hint }) {
    this.then(() => {
      this.grabs = on;
      this.player.usual = on ? hint : '';
      this.player.setMode(this.player.mode);
    });
  }

  // Takes hold of a body under the pointer: it follows in the plane of the picture, joints permitting.
  grabbed(x, y, event) {
    const { player } = this;
    if (!this.grabs || player.mode || event.button !== 0 || event.shiftKey) return null;
    const found = player.under(x, y);
    if (!found || !player.runs[0].bodies[found.at[0]].pose) return null;
    const [body, ...point] = found.at, name = player.runs[0].bodies[body].name;
    const first = player.worldPoint(found.at);
    let begun = false, told = 0, waiting = 0;
    this.link.send({ type: 'take', body: name, point });
    const go = (target) => {
      begun = true;
      clearTimeout(waiting);
      const rest = told + DRAWN_OFTEN - performance.now();
      if (rest > 0) waiting = setTimeout(() => go(target), rest);
      else {
        told = performance.now();
        this.link.send({ type: 'move', target });
      }
    };
    player.held = found.at;
    return {
      move: (px, py) => go(player.pointAt(px, py, first)),
      drop: (px, py) => {
        player.held = null;
        player.change();
        clearTimeout(waiting);
        if (!begun) return;
        this.link.send({ type: 'move', target: player.pointAt(px, py, first) });
        this.link.send({ type: 'drop' });
      },
    };
  }
}

// A message in the corner, for some seconds.
function tellFor(text, seconds) {
  const close = make('button', { textContent: '\u00d7', title: 'Close' }), note = make('div', {}, make('p', {
    textContent: text }), close);
  close.setAttribute('aria-label', 'Close');
  close.onclick = () => note.remove();
  $('told').append(note);
  while ($('told').children.length > 4) $('told').firstChild.remove();
  setTimeout(() => note.remove(), 1000 * seconds);
}
