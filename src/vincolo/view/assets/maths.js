// Vectors, unit quaternions (scalar first) and 4 by 4 matrices (columns one after the other).

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const n = length(a); return n > 0 ? times(1 / n, a) : [0, 0, 1]; };
const mix = (a, b, s) => a + (b - a) * s;

// A vector turned by a quaternion.
function turned(q, v) {
  const e = [q[1], q[2], q[3]], t = times(2, cross(e, v));
  return add(v, add(times(q[0], t), cross(e, t)));
}

const turnedBack = (q, v) => turned([q[0], -q[1], -q[2], -q[3]], v);

// The rotation b followed by a.
function product(a, b) {
  return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
}

// From quaternion a to b at constant angular velocity; s runs from 0 to 1.
function slerp(a, b, s) {
  let c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = c < 0 ? -1 : 1;
  c = Math.min(Math.abs(c), 1);
  const angle = Math.acos(c), sine = Math.sin(angle);
  const f = sine > 1e-6 ? Math.sin((1 - s) * angle) / sine : 1 - s;
  const g = sign * (sine > 1e-6 ? Math.sin(s * angle) / sine : s);
  const q = [0, 1, 2, 3].map((k) => f * a[k] + g * b[k]);
  const n = Math.hypot(...q) || 1;
  return q.map((x) => x / n);
}

// The shortest turn of one unit vector onto another.
function onto(a, b) {
  const c = dot(a, b);
  if (c < -1 + 1e-9) {
    const side = unit(cross(a, Math.abs(a[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]));
    return [0, ...side];
  }
  const q = [1 + c, ...cross(a, b)], n = Math.hypot(...q);
  return q.map((x) => x / n);
}

function matrixProduct(a, b) {
  const m = new Float32Array(16);
  for (let i = 0; i < 4; i++) {
    for (let j = 0; j < 4; j++) {
      for (let k = 0; k < 4; k++) m[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  }
  return m;
}

// Where a ray (from, along) enters a triangle: the factor of `along`, or Infinity.
function rayMeets(from, along, a, b, c) {
  const ab = sub(b, a), ac = sub(c, a), p = cross(along, ac), d = dot(ab, p);
  if (Math.abs(d) < 1e-30) return Infinity;
  const away = sub(from, a), u = dot(away, p) / d, q = cross(away, ab), v = dot(along, q) / d;
  const s = dot(ac, q) / d;
  return u >= 0 && v >= 0 && u + v <= 1 && s > 0 ? s : Infinity;
}
