// The eye: it turns about a target, upright, and sees in perspective or in parallel.

// Directions from the scene to the eye, in axes right, ahead, up.
const VIEWS = { iso: [0.7, -1.6, 0.7], front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0],
  top: [0, 0, 1], bottom: [0, 0, -1] };
const OPENING = 0.5; // rad

class Camera {
  constructor(axes) {
    this.axes = axes; // right, ahead, up
    this.parallel = false;
    this.target = [0, 0, 0];
    this.distance = 1;
    this.reach = 1; // m, how far things are from the target
    this.look('iso');
  }

  look(view) {
    const [x, y, z] = unit(VIEWS[view]);
    this.pitch = Math.asin(z);
    this.yaw = Math.hypot(x, y) > 1e-9 ? Math.atan2(x, -y) : 0;
  }

  inWorld([x, y, z]) {
    return add(add(times(x, this.axes[0]), times(y, this.axes[1])), times(z, this.axes[2]));
  }

  // Unit vectors to the right, up, and from the target to the eye.
  get directions() {
    const c = Math.cos(this.pitch), s = Math.sin(this.pitch);
    const back = this.inWorld([Math.sin(this.yaw) * c, -Math.cos(this.yaw) * c, s]);
    const right = this.inWorld([Math.cos(this.yaw), Math.sin(this.yaw), 0]);
    return { right, back, up: cross(back, right) };
  }

  orbit(dx, dy) {
    this.yaw -= dx;
    this.pitch = clamp(this.pitch + dy, -Math.PI / 2, Math.PI / 2);
  }

  // Moves with the pointer, by shares of the picture's height.
  pan(dx, dy) {
    const { right, up } = this.directions, height = 2 * this.distance * Math.tan(OPENING / 2);
    this.target = add(this.target, add(times(-dx * height, right), times(dy * height, up)));
  }

  // Nearer (factor below 1) or farther; the point of the picture at (x, y), in shares of its height from the middle,
  // stays.
  zoom(factor, x = 0, y = 0) {
    const before = this.distance;
    this.distance = clamp(this.distance * factor, 1e-3 * this.reach, 1e3 * this.reach);
    const share = 1 - this.distance / before, height = 2 * before * Math.tan(OPENING / 2);
    const { right, up } = this.directions;
    this.target = add(this.target, add(times(x * height * share, right), times(y * height * share, up)));
  }

  // Sees all points, with a margin; `aspect` is width by height.
  fit(cloud, aspect) {
    const { right, up, back } = this.directions, seen = cloud.map((p) => [dot(p, right), dot(p, up), dot(p, back)]);
    const middle = [0, 1, 2].map((k) => (lowest(seen, k) + highest(seen, k)) / 2);
    this.target = add(add(times(middle[0], right), times(middle[1], up)), times(middle[2], back));
    let distance = 0, reach = 0;
    for (const p of seen) {
      const [x, y, z] = sub(p, middle), half = Math.max(Math.abs(y), Math.abs(x) / aspect);
      distance = Math.max(distance, half / Math.tan(OPENING / 2) + (this.parallel ? 0 : z));
      reach = Math.max(reach, Math.hypot(x, y, z));
    }
    this.reach = reach || 1;
    this.distance = 1.1 * distance || 4 * this.reach;
  }

  // Everything needed to draw; `aspect` is width by height.
  view(aspect) {
    const { right, up, back } = this.directions, eye = add(this.target, times(this.distance, back));
    const far = this.distance + 12 * this.reach, f = 1 / Math.tan(OPENING / 2), half = this.distance / f;
    const near = this.parallel ? -far : Math.max(this.distance - 12 * this.reach, 0.01 * this.distance);
    const depth = far - near, lens = this.parallel
      ? [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / depth, 0, 0, 0, -(far + near) / depth, 1]
      : [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, -(far + near) / depth, -1, 0, 0, -2 * far * near / depth, 0];
    const place = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
    return { matrix: matrixProduct(lens, place), eye, right, up, back, parallel: this.parallel, half, aspect,
      worldUp: this.axes[2] };
  }
}

const lowest = (points, k) => points.reduce((found, p) => Math.min(found, p[k]), Infinity);
const highest = (points, k) => points.reduce((found, p) => Math.max(found, p[k]), -Infinity);

// Where a point is in a picture [pixels], or null if it is behind the eye.
function onScreen(view, p, width, height) {
  const m = view.matrix, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
  if (w <= 1e-9) return null;
  const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w;
  const y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
  return [(x + 1) / 2 * width, (1 - y) / 2 * height];
}

// The ray through a pixel: where it begins and its direction.
function rayAt(view, x, y, width, height) {
  const u = (2 * x / width - 1) * view.half * view.aspect, v = (1 - 2 * y / height) * view.half;
  const across = add(times(u, view.right), times(v, view.up));
  if (view.parallel) {
    return { from: add(view.eye, add(across, times(50 * view.half, view.back))), along: times(-1, view.back) };
  }
  const distance = view.half / Math.tan(OPENING / 2);
  return { from: view.eye, along: unit(sub(across, times(distance, view.back))) };
}
