// The player: time, selection, controls and pictures.

const TOO_SLOW = 0.036, SPARED_OFTEN = 600; // s between pictures that are too much, ms until more is left out
const GROWN_OFTEN = 250; // ms between new plots of a run that grows
const GHOSTS = [[0.52, 0.55, 0.6], [0.62, 0.5, 0.38], [0.4, 0.58, 0.5]];
const $ = (id) => document.getElementById(id);

// What a page may add: `grab(x, y, event)` is asked when a button goes down, and may answer with { move(x, y),
// drop(x, y) } to have the pointer for itself; `layers` are drawn upon the mechanism, as Marks is.
class Player {
  constructor(data) {
    this.runs = data.runs;
    this.fps = data.fps;
    this.grab = null;
    this.quiet = Boolean(data.quiet); // whether controls that would do nothing are hidden
    this.held = null; // a point that is drawn with the mouse
    this.usual = ''; // what is told when nothing else is
    this.growing = false;
    this.slow = 0;
    this.ghosts = true;
    this.setSpan();
    this.time = this.start;
    this.chosen = -1;
    this.hidden = new Set();
    this.followed = null;
    this.mode = null;
    this.playing = false;
    this.shown = { body: true, joint: true, ground: true, spring: true, drive: true, load: true, mass: true,
      frames: false, labels: false, floor: true };
    this.pictures = 0;
    this.prepare();
    this.marks = new Marks(this);
    this.layers = [this.marks];
    this.overlay = new Overlay($('overlay'));
    this.camera = new Camera(this.runs[0].axes);
    this.stage = new Stage($('scene'));
    this.looks = new Look(() => this.recolour());
    this.plots = new Plots(this, $('plots'));
    this.panel = new Panel(this, $('side'));
    data.plots.forEach((name) => this.plots.names.push(name));
    this.plots.arrange();
    setControls(this);
    this.listen();
    tellNotes(this);
    this.setGrowing(Boolean(data.growing));
    this.fit();
    requestAnimationFrame((now) => this.loop(now));
  }

  setSpan() {
    this.start = Math.min(...this.runs.map((r) => r.start));
    this.end = Math.max(...this.runs.map((r) => r.end));
  }

  // Other runs in the place of these. What is selected, hidden, plotted and looked at stays, by name.
  renew(runs, { fit = false } = {}) {
    const named = (number) => this.runs[0].parts[number] && this.runs[0].parts[number].name;
    const chosen = named(this.chosen), hidden = new Set([...this.hidden].map(named));
    const followed = this.followed === null ? '' : this.runs[0].bodies[this.followed].name;
    if (!fit) for (const run of runs) run.axes = this.runs[0].axes;
    this.runs = runs;
    if (fit) this.camera.axes = runs[0].axes;
    const numbered = (test) => runs[0].parts.flatMap((part, k) => (test(part.name) ? [k] : []));
    this.hidden = new Set(numbered((name) => hidden.has(name)));
    [this.chosen = -1] = numbered((name) => name === chosen);
    const body = runs[0].bodies.findIndex((b) => b.name === followed);
    this.followed = body < 0 ? null : body;
    this.prepare();
    keepShapes(this);
    this.setSpan();
    this.time = clamp(this.time, this.start, this.end);
    this.marks.renew();
    setControls(this, !fit);
    this.panel.renew();
    this.plots.arrange();
    tellNotes(this);
    this.setStill();
    if (fit) this.fit();
    this.change();
  }

  // More samples of the first run, and whether still more will come. Plots and lists follow a few times a second.
  grow(data, array, growing) {
    this.runs[0].grow(data, array);
    this.setSpan();
    this.setGrowing(growing);
    this.change();
    if (!this.following) this.following = setTimeout(() => this.grown(), GROWN_OFTEN);
  }

  grown() {
    this.following = 0;
    this.marks.grow();
    setControls(this, true);
    this.plots.grow();
    this.panel.grow();
    tellNotes(this);
    this.change();
  }

  setGrowing(growing) {
    this.growing = growing;
    this.setStill();
  }

  // A picture that stands still does without the bar of time, and without plots if there is nothing to plot.
  setStill() {
    document.body.classList.toggle('still', this.quiet && !this.growing && !(this.end > this.start));
    document.body.classList.toggle('plain', this.quiet && !this.growing && !this.runs[0].series.size);
  }

  // The bodies where they are now; used while a mechanism is drawn with the mouse.
  setPoses(numbers) {
    this.runs[0].setPoses(numbers);
    this.setSpan();
    this.time = 0;
    this.change();
  }

  // What does not change while it plays: boxes around shapes, and how links are laid at the start.
  prepare() {
    for (const run of this.runs) {
      const poses = run.poses({ k: 0, s: 0 });
      for (const item of [...run.items, ...run.links]) {
        item.mesh.wire = item.mesh.wire || ['spring', 'drive', 'load'].includes(item.kind);
      }
      for (const item of run.items) item.box = boxOf(item.mesh.vertices);
      for (const link of run.links) {
        link.first = turnedBack(poses[link.a[0]].q, unit(sub(worldPoint(poses, link.b), worldPoint(poses, link.a))));
        link.laid = onto([0, 0, 1], link.first);
      }
    }
    this.cloud = this.runs.flatMap((run) => cloudOf(run));
    this.floor = makeFloor(this);
  }

  get dark() { return this.looks.dark; }

  get colours() { return this.looks.colours; }

  get paper() { return this.looks.paper; }

  recolour() {
    if (!this.plots) return; // not yet begun
    this.plots.arrange();
    this.change();
  }

  get part() { return this.runs[0].parts[this.chosen]; }

  // Asks for a new picture.
  change() { this.stale = true; }

  // ---- time

  setTime(time) {
    this.time = clamp(Number.isFinite(time) ? time : this.start, this.start, this.end);
    this.change();
  }

  scrub(time) {
    this.play(false);
    this.setTime(time);
  }

  play(on) {
    this.playing = on && (this.growing || this.end > this.start);
    if (this.playing && this.time >= this.end && !this.growing) this.time = this.start;
    $('play').classList.toggle('playing', this.playing);
    $('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    this.change();
  }

  // To the next or the last sample of the first run.
  step(by) {
    const run = this.runs[0], { k, s } = run.place(this.time);
    const next = by > 0 ? k + 1 : s > 0 ? k : k - 1;
    this.scrub(run.t[clamp(next, 0, run.t.length - 1)]);
  }

  loop(now) {
    requestAnimationFrame((next) => this.loop(next));
    const passed = this.last === undefined ? 0 : (now - this.last) / 1000;
    if (this.last !== undefined && passed < 1 / this.fps - 0.004) return;
    this.last = now;
    this.pace = this.playing ? mix(this.pace || 0, Math.min(passed, 1), 0.2) : 0; // s between pictures
    this.spare(now);
    if (this.playing) this.advance(Math.min(passed, 0.25) * Number($('speed').value));
    if (this.stale) this.draw();
  }

  // What a slow machine leaves out while it plays: first edges and shadows, then sharpness; they come back when it stands.
  spare(now) {
    if (!this.playing && this.slow) {
      this.slow = 0;
      this.change();
    } else if (this.playing && this.slow < 2 && this.pace > TOO_SLOW && now - (this.spared || 0) > SPARED_OFTEN) {
      this.slow += 1;
      this.spared = now;
    }
  }

  advance(by) {
    let time = this.time + by;
    if (time >= this.end && this.growing) time = this.end;
    else if (time >= this.end && $('loop').checked) time = this.start + (time - this.end) % (this.end - this.start);
    else if (time >= this.end) this.play(false);
    this.setTime(time);
  }

  // ---- picture

  view() {
    const box = this.stage.canvas.getBoundingClientRect();
    return { ...this.camera.view(box.width / Math.max(box.height, 1)), width: box.width, height: box.height };
  }

  draw() {
    this.stale = false;
    this.overlay.begin();
    const scene = { solids: [], ghosts: [], lines: [], paper: this.paper, edge: 0.4, slow: this.slow,
      floor: this.shown.floor && floorNow(this) };
    this.runs.forEach((run, k) => {
      const place = run.place(this.time), poses = run.poses(place);
      if (k && !this.ghosts) return;
      for (const layer of this.layers) scene.lines.push(...layer.lines(run, poses, place, this.overlay));
      if (k) {
        scene.ghosts.push(...solidsOf(this, run, poses).map((s) => ({ ...s, colour: GHOSTS[(k - 1) % GHOSTS.length] })));
        return;
      }
      this.keepUp(poses);
      const chosen = (s) => s.item.part === this.chosen && this.chosen >= 0;
      this.drawn = solidsOf(this, run, poses).map((s) => ({ ...s, chosen: chosen(s) }));
      scene.solids.push(...this.drawn);
      for (const layer of this.layers) scene.solids.push(...layer.solids(run, poses, place, this.overlay));
      if (this.shown.labels) putLabels(this, run, poses);
    });
    const view = this.view();
    if (this.stage.usable) this.stage.draw(scene, view);
    this.overlay.end(view, view.width, view.height);
    this.showNow();
    this.pictures += 1;
  }

  // Moves the target with the body that is followed.
  keepUp(poses) {
    if (this.followed === null) return;
    const { p } = poses[this.followed];
    if (this.lastPlace) this.camera.target = add(this.camera.target, sub(p, this.lastPlace));
    this.lastPlace = p;
  }

  showNow() {
    if (this.slow > 1 && this.pictures % 4) return; // texts cost as much as the mechanism
    const share = this.end > this.start ? (this.time - this.start) / (this.end - this.start) : 0;
    $('slider').value = share;
    $('slider').setAttribute('aria-valuetext', `${shown(this.time)} s`);
    const digits = clamp(Math.ceil(4 - Math.log10(this.end - this.start || 1)), 0, 9);
    $('now').textContent = `${this.time.toFixed(digits)} s of ${Number(this.end.toPrecision(6))} s`;
    this.plots.cursor();
    this.panel.update();
  }

  fit() {
    const box = this.stage.canvas.getBoundingClientRect();
    this.camera.fit(this.cloud, box.width / Math.max(box.height, 1));
    this.change();
  }

  look(view) {
    this.camera.look(view);
    $('view').value = view;
    this.fit();
  }

  // ---- selection

  choose(number) {
    this.chosen = number;
    this.panel.select();
    this.change();
  }

  hide(number, on) {
    if (on) this.hidden.add(number); else this.hidden.delete(number);
    this.panel.list();
    this.change();
  }

  follow(body) {
    this.followed = body;
    this.lastPlace = null;
    this.change();
  }

  showVectors(kind, on) {
    if (on) this.marks.vectors.add(kind); else this.marks.vectors.delete(kind);
    this.change();
  }

  togglePlot(name) {
    this.plots.toggle(name);
    this.panel.update();
  }

  setMode(mode) {
    this.mode = mode;
    $('measure').setAttribute('aria-pressed', String(mode === 'measure'));
    $('mode').textContent = { measure: 'Pick two points, or three for an angle',
      point: `Click a place on ${this.part && this.part.name}` }[mode] || this.usual;
    $('mode').hidden = !$('mode').textContent;
    $('scene').classList.toggle('aiming', Boolean(mode));
  }

  clearMeasured() {
    this.marks.measured = [];
    this.panel.listPoints();
    this.change();
  }

  // What is under the pointer: the shape and the place on its body, or null.
  under(x, y) {
    if (this.stale) this.draw();
    if (!this.stage.usable || !this.drawn) return null;
    const view = this.view(), number = this.stage.pick(this.drawn, view, x, y), solid = this.drawn[number];
    if (!solid) return null;
    const run = this.runs[0], body = solid.item.body === undefined ? solid.item.a[0] : solid.item.body;
    const part = run.parts[solid.item.part];
    if (part && ['joint', 'mass'].includes(solid.item.kind)) return { solid, at: part.centre || part.at };
    const point = meetingPoint(solid, rayAt(view, x, y, view.width, view.height)) || solid.p;
    const pose = run.pose(body, run.place(this.time));
    return { solid, at: [body, ...turnedBack(pose.q, sub(point, pose.p))] };
  }

  // A point [body, x, y, z] of the first run in the world, now.
  worldPoint(at) {
    const run = this.runs[0];
    return worldPoint(run.poses(run.place(this.time)), at);
  }

  // The point under a pixel that is as far away as another point.
  pointAt(x, y, as) {
    const view = this.view(), { from, along } = rayAt(view, x, y, view.width, view.height);
    return add(from, times(dot(sub(as, from), view.back) / dot(along, view.back), along));
  }

  click(x, y) {
    const found = this.under(x, y);
    if (this.mode === 'measure') {
      if (found) this.marks.addMeasured(found.at);
      this.panel.listPoints();
    } else if (this.mode === 'point') {
      if (found && found.solid.item.body === this.part.at[0]) {
        this.marks.addPoint(found.at);
        this.setMode(null);
        this.panel.listPoints();
      }
    } else this.choose(found ? found.solid.item.part : -1);
  }

  // ---- page

  listen() {
    $('play').onclick = () => this.play(!this.playing);
    $('back').onclick = () => this.step(-1);
    $('ahead').onclick = () => this.step(1);
    $('slider').oninput = () => this.scrub(mix(this.start, this.end, Number($('slider').value)));
    $('view').onchange = () => this.look($('view').value);
    $('fit').onclick = () => this.fit();
    $('parallel').onclick = () => this.toggleParallel();
    $('measure').onclick = () => this.setMode(this.mode === 'measure' ? null : 'measure');
    $('picture').onclick = () => savePicture(this);
    listenToPointer(this);
    document.addEventListener('keydown', (event) => pressed(this, event));
    new ResizeObserver(() => this.change()).observe(this.stage.canvas);
    this.stage.canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    this.stage.canvas.addEventListener('webglcontextrestored', () => {
      this.stage.begin();
      this.change();
    });
  }

  toggleParallel() {
    this.camera.parallel = !this.camera.parallel;
    $('parallel').setAttribute('aria-pressed', String(this.camera.parallel));
    this.change();
  }
}
