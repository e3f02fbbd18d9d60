// Handles on the selected part: arrows move it, rings turn it, a square moves it in the picture; with snapping.

const AXIS_COLOURS = [[0.85, 0.25, 0.2, 1], [0.2, 0.6, 0.25, 1], [0.2, 0.4, 0.85, 1]];
const NEAR = 11; // pixels
const DEGREES = 15;
const TOLD_OFTEN = 40; // ms between places of a handle that are told
const WORLD = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const MOVABLE = { bodies: 'at', joints: 'at', frames: 'at', points: null, submodels: 'at' };

class Handles {
  constructor(studio) { Object.assign(this, { studio, on: true, moving: null, aim: null, snapped: null, aligned: [], concerned: [], along: true }); }

  // The place in the tree that the handles change, and its three numbers; null if there are none to drag.
  get target() {
    const { selection, model } = this.studio, [place] = selection.slice(-1);
    if (!this.on || !place || place.length !== 2 || !(place[0] in MOVABLE)) return null;
    const key = MOVABLE[place[0]], at = key ? [...place, key] : place, value = model.part(at);
    if (typeof value === 'string' && model.part(['points', value])) return this.numbers(['points', value], model.part(['points', value]), place);
    return this.numbers(at, value === undefined && place[0] === 'bodies' ? model.said.masses?.[place[1]]?.at || [0, 0, 0] : value, place);
  }

  numbers(at, value, place) {
    if (!Array.isArray(value) || value.length !== 3) return null;
    const world = this.world(place, value);
    return world && { at, value, place, world, free: value.map((v) => typeof v === 'number') };
  }

  // Where a part is in the world: its numbers, or where the scene has it if they are formulas.
  world(place, value) {
    if (value.every((v) => typeof v === 'number')) return value;
    const { player } = this.studio, part = player.runs[0].parts.find((p) => p.name === place[1] && p.at);
    return part ? player.worldPoint(part.at) : null;
  }

  get reach() { return 0.085 * this.studio.player.camera.distance; }

  // ---- drawn upon the stage, as a layer

  lines(run, poses, place, overlay) {
    if (run.number) return [];
    for (const name of this.concerned) {
      const part = run.parts.find((p) => p.name === name && p.at);
      if (part) overlay.put(worldPoint(poses, part.centre || part.at), name, 'concerned');
    }
    if (this.snapped) overlay.put(this.snapped.at, this.snapped.name, 'snap');
    const { target } = this;
    if (!target || this.studio.player.end > this.studio.player.start) return [];
    const origin = this.moving ? this.moving.now : target.world, found = this.aligned.map(({ at, k }) => this.line([origin, at], [...AXIS_COLOURS[k].slice(0, 3), 0.7], 1.2));
    for (const { at, name, k } of this.aligned) overlay.put(at, `${'xyz'[k]} of ${name}`, 'snap');
    WORLD.forEach((axis, k) => {
      if (target.free[k]) found.push(this.line([origin, add(origin, times(this.reach, axis))], AXIS_COLOURS[k], 3));
      if (this.turns(target)) found.push(this.line(this.ring(origin, k), [...AXIS_COLOURS[k].slice(0, 3), 0.55], 2));
    });
    return found;
  }

  solids() { return []; }

  line(points, colour, width) {
    const pieces = points.slice(1).flatMap((p, k) => [...points[k], ...p]);
    return { points: new Float32Array(pieces), colour, width, above: true };
  }

  ring(origin, k) {
    const [u, v] = [WORLD[(k + 1) % 3], WORLD[(k + 2) % 3]], r = 0.72 * this.reach;
    return Array.from({ length: 49 }, (_, n) => add(origin, add(times(r * Math.cos(n * Math.PI / 24), u), times(r * Math.sin(n * Math.PI / 24), v))));
  }

  turns({ place }) {
    const part = this.studio.model.part(place);
    return place[0] === 'bodies' || place[0] === 'frames' || (place[0] === 'joints' && part && (part.axis !== undefined));
  }

  // ---- with the pointer

  // Asked when a button goes down on the stage.
  grab(x, y, event) {
    const { studio } = this, { player } = studio;
    if (this.aim || event.button !== 0 || event.shiftKey || player.mode) return null;
    const { target } = this;
    if (!target || player.end > player.start) return null;
    const view = player.view(), handle = this.under(target, view, x, y);
    if (!handle) return null;
    this.moving = { now: target.world, first: target.world, angle: 0, told: 0, known: this.known(target.place) };
    const begin = this.meant(handle, target.world, view, x, y);
    return {
      move: (px, py) => {
        if (!this.moving) return; // left by Escape
        const to = this.meant(handle, target.world, player.view(), px, py);
        if (handle.ring === undefined) this.drag(target, handle, sub(to, begin), px, py, event);
        else this.moving.angle = this.snapAngle(to - begin);
        this.preview(target, handle);
        player.change();
      },
      drop: () => this.moving && this.drop(target, handle),
    };
  }

  // What a handle asks for where it is now.
  asked(target, handle) {
    const { now, angle } = this.moving, common = { at: target.place, along: this.along };
    return handle.ring === undefined ? { ...common, put: target.at, value: target.value.map((v, k) => (target.free[k] ? now[k] : v)) } : { ...common, axis: WORLD[handle.ring], angle };
  }

  // Has the mechanism drawn as it would be here.
  preview(target, handle) {
    const { moving } = this, rest = moving.told + TOLD_OFTEN - performance.now();
    clearTimeout(moving.waiting);
    if (rest > 0) {
      moving.waiting = setTimeout(() => this.moving === moving && this.preview(target, handle), rest);
      return;
    }
    moving.told = performance.now();
    this.studio.link.send({ type: 'preview', ...this.asked(target, handle) });
  }

  // What would come of it, in words.
  takeMoving({ error, closed, along, stays }) {
    if (!this.moving) return;
    const { target } = this, words = [];
    if (error) words.push(error.split('\n')[0]);
    else {
      if (!closed) words.push('The joints do not close here.');
      if (along.length) words.push(`${along.join(', ')}: taken along.`);
      if (stays.length) words.push(`${stays.join(', ')}: not, a place or axis is a formula.`);
      if (target && target.place[0] === 'bodies' && !this.along) words.push('Joints and frames that are placed in the world stay; a takes them along.');
    }
    $('place').textContent = words.join(' ');
  }

  // Leaves a handle without a change.
  cancel() {
    clearTimeout(this.moving.waiting);
    this.moving = this.snapped = null;
    this.aligned = [];
    this.studio.tell(this.studio.model.ask('reset'));
  }

  takeAlong(on) {
    this.along = on;
    this.studio.properties.show(true);
  }

  under(target, view, x, y) {
    const at = (p) => onScreen(view, p, view.width, view.height), o = at(target.world);
    if (!o) return null;
    if (Math.hypot(o[0] - x, o[1] - y) < NEAR && target.free.every(Boolean)) return { plane: true };
    for (const [k, axis] of WORLD.entries()) {
      const tip = at(add(target.world, times(this.reach, axis)));
      if (target.free[k] && tip && awayFrom(o, tip, x, y) < NEAR) return { axis: k };
    }
    if (!this.turns(target)) return null;
    for (const k of [0, 1, 2]) {
      const points = this.ring(target.world, k).map(at).filter(Boolean);
      if (points.some((p, n) => n && awayFrom(points[n - 1], p, x, y) < 0.6 * NEAR)) return { ring: k };
    }
    return null;
  }

  // What a pixel means to a handle: a point in the world, or an angle [rad].
  meant(handle, origin, view, x, y) {
    const ray = rayAt(view, x, y, view.width, view.height);
    if (handle.plane) return this.studio.player.pointAt(x, y, origin);
    if (handle.axis !== undefined) {
      const d = WORLD[handle.axis], w = sub(ray.from, origin), b = dot(d, ray.along), c = 1 - b * b;
      return add(origin, times(c > 1e-6 ? (dot(d, w) - b * dot(ray.along, w)) / c : 0, d));
    }
    const n = WORLD[handle.ring], s = dot(sub(origin, ray.from), n) / (dot(ray.along, n) || 1e-9);
    const v = sub(add(ray.from, times(s, ray.along)), origin);
    return Math.atan2(dot(v, WORLD[(handle.ring + 2) % 3]), dot(v, WORLD[(handle.ring + 1) % 3]));
  }

  drag(target, handle, by, px, py, event) {
    const free = [0, 1, 2].map((k) => (handle.plane || handle.axis === k) && Math.abs(by[k]) > 1e-6 * this.reach);
    const raw = target.world.map((v, k) => (free[k] ? v + by[k] : v));
    this.snapped = event.altKey ? null : this.near(px, py, this.moving.known);
    this.aligned = this.snapped || event.altKey ? [] : raw.flatMap((v, k) => (free[k] ? this.alike(raw, k) : []));
    const step = this.step(), same = (k) => this.aligned.find((one) => one.k === k);
    this.moving.now = raw.map((v, k) => (!free[k] ? v : this.snapped ? this.snapped.at[k] : same(k) ? same(k).at[k] : event.altKey ? v : Number((Math.round(v / step) * step).toPrecision(12))));
  }

  // The known point whose coordinate k is nearest to that of a point, if it is some pixels away at most.
  alike(point, k) {
    const view = this.studio.player.view(), at = (p) => onScreen(view, p, view.width, view.height), step = times(this.reach, WORLD[k]);
    const [a, b] = [at(point), at(add(point, step))], pixel = a && b ? this.reach / (Math.hypot(a[0] - b[0], a[1] - b[1]) || 1) : 0;
    const near = this.moving.known.map((one) => ({ ...one, k, away: Math.abs(one.at[k] - point[k]) })).sort((p, q) => p.away - q.away || length(sub(p.at, point)) - length(sub(q.at, point)))[0];
    return near && near.away < 0.5 * NEAR * pixel ? [near] : [];
  }

  step() { return roundUp(this.reach / 40); }

  snapAngle(angle) {
    const degrees = angle * 180 / Math.PI;
    return Math.round(degrees / DEGREES) * DEGREES;
  }

  // Points that places snap to: named ones, parts, the origin; not those of a part that is moved, nor what goes along.
  known(but = ['', '']) {
    const { player, model } = this.studio, run = player.runs[0], poses = run.poses(run.place(player.time)), own = this.own(but);
    const found = run.parts.filter((p) => p.at && !own.has(p.name)).map((p) => ({ name: p.name, at: worldPoint(poses, p.centre || p.at) }));
    for (const [name, at] of Object.entries(model.tree.points || {})) {
      if (at.every && at.every((v) => typeof v === 'number') && !own.has(`points ${name}`)) found.unshift({ name, at, point: name });
    }
    return [...found, { name: 'origin', at: [0, 0, 0] }];
  }

  own([section, name]) {
    const { tree } = this.studio.model, found = new Set(section === 'points' ? [`points ${name}`] : [name]);
    const add = (part) => typeof part?.at === 'string' && found.add(`points ${part.at}`);
    add(tree[section]?.[name]);
    if (section !== 'bodies' || !this.along) return found;
    for (const [other, part] of [...Object.entries(tree.joints || {}), ...Object.entries(tree.frames || {})]) {
      if (![part.a, part.b, part.on].includes(name)) continue;
      found.add(other);
      add(part);
    }
    return found;
  }

  // The known point that is nearest to a pixel, if one is near.
  near(x, y, known) {
    const view = this.studio.player.view();
    let best = null;
    for (const one of known) {
      const p = onScreen(view, one.at, view.width, view.height), away = p ? Math.hypot(p[0] - x, p[1] - y) : Infinity;
      if (away < (best ? best.away : NEAR)) best = { ...one, away };
    }
    return best;
  }

  async drop(target, handle) {
    const { model, player } = this.studio, { now, angle, told, waiting } = this.moving, asked = this.asked(target, handle), turns = handle.ring !== undefined;
    clearTimeout(waiting);
    this.moving = this.snapped = null;
    this.aligned = [];
    $('place').textContent = '';
    player.change();
    try {
      if (turns ? angle % 360 : now.some((v, k) => v !== target.world[k])) {
        const { stays } = await model.ask(turns ? 'turn' : 'shift', asked);
        if (stays.length) tellFor(`${stays.join(', ')}: not taken along, since a place or axis is a formula. Change the parameter.`, 8);
      } else if (told) await model.ask('reset');
    } catch (error) {
      tellFor(error.message, 10);
      if (told) this.studio.tell(model.ask('reset'));
    }
  }

  // ---- picking a place on the stage

  // The next click fills in a place of the tree, or a field of a form.
  pick(place, field = null) {
    this.aim = { place, field };
    const { player } = this.studio;
    player.usual = 'Click a place on the stage; Escape leaves it';
    player.setMode(player.mode);
    $('scene').classList.add('aiming');
  }

  endPick() {
    this.aim = null;
    $('scene').classList.remove('aiming');
    this.studio.player.usual = '';
    this.studio.player.setMode(null);
  }

  // A click on the stage; whether it was taken as a place.
  clicked(x, y) {
    if (!this.aim) return false;
    const { place, field } = this.aim, near = this.near(x, y, this.known()), found = near ? near.at : this.floorPoint(x, y);
    const text = near && near.point ? near.point : found.map((v) => Number(v.toPrecision(9))).join(', ');
    this.endPick();
    this.studio.lastPoint = found;
    if (field) {
      field.input.value = text;
      field.input.onchange();
      field.input.focus();
    } else this.studio.model.ask('enter', { at: place, text, kind: 'point' }).catch((error) => tellFor(error.message, 10));
    return true;
  }

  // The point of a body or of the floor under a pixel, on the grid.
  floorPoint(x, y) {
    const { player } = this.studio, hit = player.under(x, y), step = this.step();
    const point = hit ? player.worldPoint(hit.at) : this.onPlane(x, y);
    return point.map((v) => Number((Math.round(v / step) * step).toPrecision(9)) + 0);
  }

  onPlane(x, y) {
    const { player } = this.studio, view = player.view(), ray = rayAt(view, x, y, view.width, view.height);
    const axes = player.camera.axes, n = [...WORLD].sort((a, b) => Math.abs(dot(b, view.back)) - Math.abs(dot(a, view.back)))[0] || axes[2];
    const s = -dot(ray.from, n) / (dot(ray.along, n) || 1e-9);
    return add(ray.from, times(s, ray.along));
  }
}

// The distance of a pixel from a piece of line.
function awayFrom(a, b, x, y) {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]], s = clamp(((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(x - a[0] - s * dx, y - a[1] - s * dy);
}
