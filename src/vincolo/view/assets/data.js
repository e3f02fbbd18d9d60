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

// The lengths of vectors whose components are three series.
function magnitudes(parts) {
  return Float32Array.from(parts[0].values, (_, k) => Math.hypot(...parts.map((p) => p.values[k])));
}

class Run {
  constructor(data, array, number) {
    Object.assign(this, { label: data.label, model: data.model, notes: data.notes, size: data.size,
      radius: data.radius, centre: data.centre, axes: data.axes, parts: data.parts, events: data.events, number });
    this.t = array(data.t);
    this.bodies = data.bodies.map((b) => ({ name: b.name, pose: b.pose && b.pose.map(array) }));
    const meshes = new Map();
    const shape = (item) => {
      const key = JSON.stringify(item.mesh);
      if (!meshes.has(key)) meshes.set(key, { vertices: array(item.mesh[0]), faces: array(item.mesh[1]) });
      return meshes.get(key);
    };
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
      const added = [['speed', 'm/s', 'v'], ['acceleration', 'm/s^2', 'a'], ['angular speed', 'rad/s', 'w']];
      for (const [word, unitName, letter] of added) {
        const name = `${part.name}.${word}`;
        if (this.series.has(name)) continue;
        if (this.addLength(name, unitName, ['x', 'y', 'z'].map((a) => `${part.name}.${letter}${a}`))) {
          part.series.push(name);
        }
      }
    }
  }

  addLength(name, unitName, names) {
    const parts = names.map((n) => this.series.get(n));
    if (parts.some((p) => !p)) return false;
    this.series.set(name, new Series(name, unitName, magnitudes(parts)));
    return true;
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
