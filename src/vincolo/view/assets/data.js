// The runs of the page: numbers unpacked, series by name, and where everything is at a time.

// A named series over the samples of a run.
class Series {
  constructor(name, unitName, values) {
    Object.assign(this, { name, unit: unitName, values });
  }

  // The value between two samples; `place` comes from Run.place.
  at({ k, s }) {
    const a = this.values[k];
    return s > 0 ? mix(a, this.values[k + 1], s) : a;
  }
}

// Numbers with others behind them; room is made for twice as many when there is too little.
const ROOMY = new WeakSet();
function extended(before, more) {
  const count = before.length + more.length, Kind = before.constructor;
  let { buffer } = before;
  if (!ROOMY.has(buffer) || buffer.byteLength < count * Kind.BYTES_PER_ELEMENT) {
    buffer = new ArrayBuffer(2 * count * Kind.BYTES_PER_ELEMENT);
    ROOMY.add(buffer);
    new Kind(buffer).set(before);
  }
  const found = new Kind(buffer, 0, count);
  found.set(more, before.length);
  return found;
}

// Shapes that were met before: a scene that comes again finds them already prepared.
const SHAPES = new Map();
function shapeOf(vertices, faces) {
  const key = `${vertices.length} ${faces.length} ${hashOf(vertices)} ${hashOf(faces)}`;
  if (!SHAPES.has(key)) SHAPES.set(key, { vertices, faces });
  return SHAPES.get(key);
}

// Forgets the shapes that are not among these.
function forgetShapes(kept) { for (const [key, mesh] of SHAPES) if (!kept.has(mesh)) SHAPES.delete(key); }

// A number that tells arrays apart (two of FNV's kind, for 64 bits).
function hashOf(array) {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
  let a = 2166136261, b = 40503;
  for (let k = 0; k < bytes.length; k++) {
    a = Math.imul(a ^ bytes[k], 16777619);
    b = Math.imul(b + bytes[k], 2654435761) ^ (b >>> 15);
  }
  return `${a >>> 0} ${b >>> 0}`;
}

// The lengths of vectors whose components are three series.
function magnitudes([x, y, z], from = 0) {
  return x.values.subarray(from).map((_, k) => Math.hypot(x.values[from + k], y.values[from + k], z.values[from + k]));
}

class Run {
  constructor(data, array, number) {
    Object.assign(this, { label: data.label, model: data.model, units: data.units, notes: data.notes, size: data.size,
      radius: data.radius, centre: data.centre, axes: data.axes, parts: data.parts, events: data.events, number });
    this.t = array(data.t);
    this.bodies = data.bodies.map((b) => ({ name: b.name, pose: b.pose && b.pose.map(array) }));
    const shape = (item) => shapeOf(array(item.mesh[0]), array(item.mesh[1]));
    this.items = data.items.map((item) => ({ ...item, mesh: shape(item) }));
    this.links = data.links.map((link) => ({ ...link, mesh: shape(link) }));
    for (const part of this.parts) if (part.vector) part.vector = part.vector.map((r) => new Series('', '', array(r)));
    this.series = new Map();
    for (const [name, [unitName, reference]] of Object.entries(data.series)) {
      if (reference) this.series.set(name, new Series(name, unitName, array(reference)));
    }
    this.addMagnitudes(data);
  }

  addMagnitudes(data) {
    for (const [name, [unitName, reference]] of Object.entries(data.series)) {
      if (!reference) this.addLength(name, unitName, ['x', 'y', 'z'].map((a) => `${name}.${a}`));
    }
    for (const part of this.parts) {
      if (part.kind !== 'body' && part.kind !== 'frame') continue;
      for (const [word, letter] of [['speed', 'v'], ['acceleration', 'a'], ['angular speed', 'w']]) {
        const name = `${part.name}.${word}`, names = ['x', 'y', 'z'].map((a) => `${part.name}.${letter}${a}`);
        if (!this.series.has(name) && this.addLength(name, this.unitOf(names), names)) part.series.push(name);
      }
    }
  }

  // The unit that some series have in common; none if they differ or one is missing.
  unitOf(names) {
    const units = new Set(names.map((n) => this.series.get(n)?.unit));
    return units.size === 1 ? [...units][0] : undefined;
  }

  // A number, or a vector, in a unit of SI as it is shown, with the name of the unit it is then in; and back.
  shownAs(si, x) { return Array.isArray(x) ? times(this.units[si][1], x) : this.units[si][1] * x; }

  inSI(si, x) { return times(1 / this.units[si][1], x); }

  unitName(si) { return this.units[si][0]; }

  addLength(name, unitName, names) {
    const parts = names.map((n) => this.series.get(n));
    if (parts.some((p) => !p) || unitName === undefined) return false;
    this.series.set(name, Object.assign(new Series(name, unitName, magnitudes(parts)), { parts }));
    return true;
  }

  // Samples that come behind, as data of the same run.
  grow(data, array) {
    this.t = extended(this.t, array(data.t));
    this.notes = data.notes;
    this.events = data.events;
    this.bodies.forEach(({ pose }, k) => {
      if (pose) pose.forEach((values, j) => { pose[j] = extended(values, array(data.bodies[k].pose[j])); });
    });
    for (const { kind, name, vector } of this.parts) {
      if (kind === 'load') vector.forEach((v, j) => { v.values = extended(v.values, array(data.loads[name][j])); });
    }
    for (const [name, [, reference]] of Object.entries(data.series)) {
      const series = this.series.get(name);
      if (reference && series) series.values = extended(series.values, array(reference));
    }
    for (const series of this.series.values()) {
      if (series.parts) series.values = extended(series.values, magnitudes(series.parts, series.values.length));
    }
  }

  // All bodies at other places, as one sample; what was read from the old places holds no more.
  setPoses(numbers) {
    this.bodies.filter((body) => body.pose).forEach((body, k) => {
      body.pose = Array.from(numbers.subarray(7 * k, 7 * k + 7), (x) => Float32Array.of(x));
    });
    this.t = Float64Array.of(0);
    this.stale = true;
  }

  get start() { return this.t[0]; }

  get end() { return this.t[this.t.length - 1]; }

  // The sample at or before a time, and how far the time is on the way to the next one (0 to 1).
  place(time) {
    const t = this.t, last = t.length - 1;
    if (!(time > t[0])) return { k: 0, s: 0 };
    if (time >= t[last]) return { k: last, s: 0 };
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle; else high = middle;
    }
    return { k: low, s: (time - t[low]) / (t[high] - t[low]) };
  }

  // Where a body is: position and quaternion.
  pose(body, { k, s }) {
    const pose = this.bodies[body].pose;
    if (!pose) return { p: [0, 0, 0], q: [1, 0, 0, 0] };
    const p = [pose[0][k], pose[1][k], pose[2][k]], q = [pose[3][k], pose[4][k], pose[5][k], pose[6][k]];
    if (!(s > 0)) return { p, q };
    const j = k + 1, q1 = [pose[3][j], pose[4][j], pose[5][j], pose[6][j]];
    return { p: p.map((x, i) => mix(x, pose[i][j], s)), q: slerp(q, q1, s) };
  }

  poses(place) { return this.bodies.map((_, body) => this.pose(body, place)); }

  // The world points of a point on a body, given as [body, x, y, z], at all samples.
  path(at) {
    return Array.from(this.t, (_, k) => {
      const { p, q } = this.pose(at[0], { k, s: 0 });
      return add(p, turned(q, [at[1], at[2], at[3]]));
    });
  }

  // Three series as a vector, or null if there are none.
  vector(names, place) {
    const parts = names.map((n) => this.series.get(n));
    return parts.some((p) => !p) ? null : parts.map((p) => p.at(place));
  }
}

// A point on a body, given as [body, x, y, z], in the world.
function worldPoint(poses, at) {
  const { p, q } = poses[at[0]];
  return add(p, turned(q, [at[1], at[2], at[3]]));
}
