// What is drawn upon the mechanism: vectors, paths, key points, distances and angles, axes, names.

const SHAFT = lathe([[0, 0], [1, 0], [1, 1], [0, 1]]), HEAD = lathe([[0, 0], [1, 0], [0, 1]]);
const POINT = lathe([[0, -1], [0.5, -0.87], [0.87, -0.5], [1, 0], [0.87, 0.5], [0.5, 0.87], [0, 1]], 16);
const VECTOR_SHARE = 0.22; // of the mechanism's size: length of a large vector
const TRIAD = [[0.82, 0.16, 0.16], [0.16, 0.6, 0.2], [0.18, 0.36, 0.85]];
const xyz = (stem) => ['x', 'y', 'z'].map((a) => stem + a);

// Kinds of vectors: whose they are, their series and colour; their unit is that of the series. `turning` ones get two heads.
const VECTORS = {
  velocity: { of: 'body', names: (n) => xyz(`${n}.v`), colour: [0.05, 0.55, 0.75] },
  acceleration: { of: 'body', names: (n) => xyz(`${n}.a`), colour: [0.5, 0.3, 0.75] },
  'angular velocity': { of: 'body', names: (n) => xyz(`${n}.w`), colour: [0.9, 0.5, 0.05], turning: true },
  'reaction force': { of: 'joint', names: (n) => xyz(`${n}.reaction.force.`), colour: [0.82, 0.15, 0.15] },
  'reaction torque': { of: 'joint', names: (n) => xyz(`${n}.reaction.torque.`), colour: [0.85, 0.3, 0.6],
    turning: true },
  'contact that sticks': { of: 'contact', slides: false, colour: [0.18, 0.49, 0.23] },
  'contact that slides': { of: 'contact', slides: true, colour: [0.75, 0.16, 0.12] },
  'spring force': { of: 'spring', colour: [0.15, 0.55, 0.25] },
  'applied force': { of: 'load', colour: [0.65, 0.1, 0.4] },
  'applied torque': { of: 'load', colour: [0.65, 0.1, 0.4], turning: true },
};

// The force of a contact on its second body, while one of its points slides or while none does.
function contactForce(part, run, place, slides) {
  const forces = xyz(`${part.name}.force.`);
  const [at, v, sliding] = [xyz(`${part.name}.point.`), forces, Array(3).fill(`${part.name}.sliding`)]
    .map((names) => run.vector(names, place));
  return at && v && sliding && (sliding[0] > 0) === slides ? { at: run.inSI('m', at), v, unitName: run.unitOf(forces) } : null;
}

class Marks {
  constructor(player) {
    this.player = player;
    this.vectors = new Set();
    this.scale = 1;
    this.onlyChosen = false;
    this.sizes = new Map();
    this.traces = new Map();
    this.points = [];
    this.measured = [];
  }

  // After the first run has grown.
  grow() {
    this.sizes.clear();
    this.traces.forEach((trace) => trace.paths.clear());
    this.points.forEach((point) => this.followPoint(point));
  }

  // After other runs have come: what is on bodies of the same names stays.
  renew() {
    const run = this.player.runs[0], numbers = new Map(run.bodies.map((b, k) => [b.name, k]));
    const again = (body, at) => (numbers.has(body) ? [numbers.get(body), ...at.slice(1)] : null);
    this.traces.forEach((trace, key) => {
      trace.at = again(trace.body, trace.at);
      if (!trace.at) this.traces.delete(key);
    });
    this.points.forEach((point) => { point.at = again(point.body, point.at); });
    this.points = this.points.filter((point) => point.at);
    this.measured = [];
    this.grow();
  }

  // The vector of a part in the world, in the unit that is named, and where it begins [m]; or null.
  vectorOf(kind, part, run, poses, place) {
    const { of, names, turning, slides } = VECTORS[kind];
    if (part.kind !== of || !part.at) return null;
    if (of === 'contact') return contactForce(part, run, place, slides);
    if (of === 'spring') return springForce(part, run, poses, place);
    if (of === 'load') {
      if (Boolean(turning) !== part.turning) return null;
      const si = turning ? 'N m' : 'N', v = run.shownAs(si, part.vector.map((s) => s.at(place)));
      return { at: worldPoint(poses, part.at), v: part.turns ? turned(poses[part.at[0]].q, v) : v,
        unitName: run.unitName(si) };
    }
    const v = run.vector(names(part.name), place), unitName = run.unitOf(names(part.name));
    return v && unitName !== undefined ? { at: worldPoint(poses, part.at), v, unitName } : null;
  }

  // A large length of the vectors of a kind over the run, for their scale.
  sizeOf(kind) {
    if (this.sizes.has(kind)) return this.sizes.get(kind);
    const run = this.player.runs[0], found = [], every = Math.max(1, Math.floor(run.t.length / 60));
    for (let k = 0; k < run.t.length; k += every) {
      const place = { k, s: 0 }, poses = run.poses(place);
      for (const part of run.parts) {
        const made = this.vectorOf(kind, part, run, poses, place), size = made ? length(made.v) : NaN;
        if (size > 0) found.push(size);
      }
    }
    found.sort((a, b) => a - b);
    const size = found.length ? found[Math.floor(0.97 * (found.length - 1))] : 0;
    this.sizes.set(kind, size);
    return size;
  }

  available(kind) { return this.sizeOf(kind) > 0; }

  arrows(run, poses, place) {
    const found = [], chosen = this.player.chosen;
    for (const kind of this.vectors) {
      const factor = this.scale * VECTOR_SHARE * run.size / this.sizeOf(kind);
      const { colour, turning } = VECTORS[kind];
      run.parts.forEach((part, number) => {
        if ((this.onlyChosen && number !== chosen) || this.player.hidden.has(number)) return;
        const made = this.vectorOf(kind, part, run, poses, place);
        if (!made || !(length(made.v) * factor > 1e-3 * run.size)) return;
        found.push({ at: made.at, drawn: times(factor, made.v), colour, turning,
          text: `${Number(length(made.v).toPrecision(4))} ${prettyUnit(made.unitName)}` });
      });
    }
    return found;
  }

  solids(run, poses, place, overlay) {
    const found = [], r = 0.5 * run.radius;
    for (const { at, drawn, colour, turning, text } of this.arrows(run, poses, place)) {
      const size = length(drawn), q = onto([0, 0, 1], unit(drawn)), head = Math.min(6 * r, 0.5 * size);
      const along = (s) => add(at, times(s / size, drawn)), shaft = Math.max(size - (turning ? 1.7 : 1) * head, 1e-9);
      found.push({ mesh: SHAFT, p: at, q, size: [r, r, shaft], colour, mark: true });
      for (const back of turning ? [1, 1.7] : [1]) {
        const p = along(size - back * head);
        found.push({ mesh: HEAD, p, q, size: [2.4 * r, 2.4 * r, head], colour, mark: true });
      }
      overlay.put(along(size + 2 * r), text, 'value');
    }
    const { held } = this.player;
    for (const at of [...this.points.map((p) => p.at), ...this.measured, ...(held ? [held] : [])]) {
      const size = times(0.8, [run.radius, run.radius, run.radius]);
      const p = worldPoint(poses, at);
      found.push({ mesh: POINT, p, q: [1, 0, 0, 0], size, colour: [0.95, 0.75, 0.1], mark: true });
    }
    this.points.forEach((point) => overlay.put(worldPoint(poses, point.at), point.name, ''));
    return found;
  }

  // Lines: paths up to now and beyond, triads, and what is measured.
  lines(run, poses, place, overlay) {
    const found = [];
    for (const trace of this.traces.values()) {
      const points = this.path(trace, run);
      if (!points) continue;
      found.push({ points, colour: [...trace.colour, run.number ? 0.3 : 0.45], width: 1.6, above: true });
      if (place.k > 0 && !run.number) {
        found.push({ points: points.subarray(0, 6 * place.k), colour: [...trace.colour, 1], width: 2.4 });
      }
    }
    if (run.number) return found;
    if (this.player.shown.frames) found.push(...triads(run, poses));
    if (this.measured.length > 1) found.push(this.measureLine(run, poses, overlay));
    return found;
  }

  path(trace, run) {
    if (!trace.paths.has(run)) {
      const body = run.bodies.findIndex((b) => b.name === trace.body);
      const points = body < 0 ? [] : run.path([body, ...trace.at.slice(1)]);
      trace.paths.set(run, points.length > 1 ? pieces(points) : null);
    }
    return trace.paths.get(run);
  }

  // Draws or removes the path of a point [body, x, y, z].
  trace(key, at, on = !this.traces.has(key)) {
    const run = this.player.runs[0];
    if (!on) this.traces.delete(key);
    else this.traces.set(key, { at, body: run.bodies[at[0]].name, paths: new Map(), colour: this.colourOf(at[0]) });
    this.player.change();
  }

  colourOf(body) {
    const item = this.player.runs[0].items.find((i) => i.kind === 'body' && i.body === body);
    return item ? item.colour : [0.4, 0.4, 0.45];
  }

  // A point on a body, with a path and with series of its own.
  addPoint(at) {
    const run = this.player.runs[0], body = run.bodies[at[0]].name;
    let number = this.points.length + 1;
    while (run.series.has(`${body} point ${number}.x`)) number += 1;
    const point = { name: `${body} point ${number}`, at, body };
    this.followPoint(point);
    this.points.push(point);
    this.trace(`point ${point.name}`, at, true);
    return point;
  }

  // The series of a key point: its place, and its velocity and acceleration if those of its body are known.
  followPoint({ name, at, body }) {
    const run = this.player.runs[0], put = (end, unitName, values) => ['x', 'y', 'z'].forEach((axis, k) =>
      run.series.set(`${name}.${end}${axis}`, new Series(`${name}.${end}${axis}`, unitName,
        Float32Array.from(values, (v) => v[k]))));
    put('', run.unitName('m'), run.path(at).map((p) => run.shownAs('m', p)));
    const motion = pointMotion(run, at, body);
    if (!motion) return;
    put('v', run.unitName('m/s'), motion.map(([v]) => run.shownAs('m/s', v)));
    put('a', run.unitName('m/s^2'), motion.map(([, a]) => run.shownAs('m/s^2', a)));
  }

  removePoint(point) {
    this.points = this.points.filter((p) => p !== point);
    this.traces.delete(`point ${point.name}`);
    this.player.change();
  }

  addMeasured(at) {
    this.measured = this.measured.length > 2 ? [at] : [...this.measured, at];
    this.player.change();
  }

  // Distance of two points [m], and with three the angle at the second [rad].
  measurement(poses) {
    const [a, b, c] = this.measured.map((at) => worldPoint(poses, at));
    if (!b) return null;
    if (!c) return { distance: length(sub(a, b)) };
    const u = sub(a, b), v = sub(c, b);
    return { angle: Math.atan2(length(cross(u, v)), dot(u, v)) };
  }

  measureLine(run, poses, overlay) {
    const points = this.measured.map((at) => worldPoint(poses, at)), found = this.measurement(poses);
    const [text, at] = found.angle === undefined
      ? [`${shown(run.shownAs('m', found.distance))} ${prettyUnit(run.unitName('m'))}`, times(0.5, add(points[0], points[1]))]
      : [`${shown(found.angle * 180 / Math.PI)}\u00b0`, points[1]];
    overlay.put(at, text, 'measure');
    return { points: pieces(points), colour: [0.95, 0.6, 0.05, 1], width: 2.4, above: true };
  }
}

// Velocity and acceleration of a point of a body at all samples, v = v0 + w x r and a = a0 + alpha x r + w x (w x r), in
// SI; null if a run does not know them.
function pointMotion(run, at, body) {
  const units = { v: 'm/s', w: 'rad/s', a: 'm/s^2', alpha_: 'rad/s^2' };
  const known = ([stem, si]) => run.unitOf(xyz(`${body}.${stem}`)) === run.unitName(si);
  if (!Object.entries(units).every(known)) return null;
  const vector = ([stem, si], place) => run.inSI(si, run.vector(xyz(`${body}.${stem}`), place));
  return Array.from(run.t, (_, k) => {
    const place = { k, s: 0 }, [v, w, a, alpha] = Object.entries(units).map((one) => vector(one, place));
    const r = turned(run.pose(at[0], place).q, at.slice(1)), turning = cross(w, r);
    return [add(v, turning), add(a, add(cross(alpha, r), cross(w, turning)))];
  });
}

// The pull of a spring on its second end.
function springForce(part, run, poses, place) {
  const force = run.series.get(`${part.name}.force`);
  if (!part.ends || !force) return null;
  const [a, b] = part.ends.map((at) => worldPoint(poses, at));
  return { at: b, v: times(part.pull * force.at(place), unit(sub(a, b))), unitName: force.unit };
}

// The pieces of a polyline, six numbers each.
function pieces(points) {
  const found = new Float32Array(6 * (points.length - 1));
  for (let k = 0; k + 1 < points.length; k++) {
    found.set(points[k], 6 * k);
    found.set(points[k + 1], 6 * k + 3);
  }
  return found;
}

// The axes of all bodies: x red, y green, z blue.
function triads(run, poses) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  return axes.map((axis, k) => ({
    points: new Float32Array(poses.flatMap(({ p, q }) => [...p, ...add(p, times(6 * run.radius, turned(q, axis)))])),
    colour: [...TRIAD[k], 1], width: 2.6, above: true }));
}

// Texts at points of the scene. Elements are used again from picture to picture.
class Overlay {
  constructor(host) {
    this.host = host;
    this.texts = [];
  }

  begin() { this.texts = []; }

  put(at, text, style) { this.texts.push({ at, text, style }); }

  end(view, width, height) {
    let used = 0;
    const taken = [];
    for (const item of this.texts) {
      item.spot = onScreen(view, item.at, width, height);
      if (!item.spot || Math.abs(item.spot[0]) > 2 * width || Math.abs(item.spot[1]) > 2 * height) continue;
      item.spot = freeSpot(item, taken);
      item.spot[1] = item.spot[1] > -40 ? Math.max(item.spot[1], 10) : item.spot[1]; // not cut by the upper edge
      const span = this.host.children[used] || this.host.appendChild(document.createElement('span'));
      used += 1;
      if (span.textContent !== item.text) span.textContent = item.text;
      span.className = item.style;
      span.hidden = false;
      const [x, y] = item.spot.map((pixel) => `${pixel.toFixed(1)}px`);
      span.style.transform = `translate(${x}, ${y}) translate(8px, -50%)`;
    }
    for (let k = used; k < this.host.children.length; k++) this.host.children[k].hidden = true;
    this.host.hidden = !used; // an empty layer costs time too
  }
}

// A place for a text that does not cover those before it, if there is one a few lines above or below.
function freeSpot({ spot: [x, y], text }, taken) {
  const wide = 7 * text.length + 10, high = 17;
  const free = (at) => taken.every((t) => Math.abs(t.y - at) >= high || x >= t.x + t.wide || t.x >= x + wide);
  const found = [0, 1, -1, 2, -2, 3, -3, 4].map((n) => y + n * high).find(free);
  const at = found === undefined ? y : found;
  taken.push({ x, y: at, wide });
  return [x, at];
}
