// Hardpoints on the stage: each can be drawn with the pointer in the plane of the picture, as far away as it was. The page
// around is told while it moves and when it is let go.

const CATCH = 10; // pixels
const FREE = [0.95, 0.55, 0.1, 1], HELD = [0.85, 0.1, 0.1, 1];

class Hardpoints {
  constructor(player) {
    Object.assign(this, { player, points: {}, moved: {}, step: 1e-3, held: null, near: null, tell: () => {} });
    player.layers.push(this);
    player.grab = (x, y, event) => this.grab(x, y, event);
    player.stage.canvas.addEventListener('pointermove', (event) => this.hover(event));
  }

  // Points [m] by role, and to what coordinates are rounded when they are drawn [m].
  show(points, step) {
    Object.assign(this, { points, step });
    this.player.change();
  }

  // The middle of the travel is where points are drawn.
  rest() {
    this.player.play(false);
    this.player.scrub((this.player.start + this.player.end) / 2);
  }

  lines(run, poses, place, overlay) {
    if (run.number) return [];
    const size = 0.012 * this.player.camera.distance;
    return Object.entries(this.points).map(([role, p]) => {
      const on = role === this.held || role === this.near;
      if (on) overlay.put(p, `${role} ${p.map((v) => (1e3 * v).toFixed(1)).join(', ')}`, '');
      const ends = [0, 1, 2].flatMap((k) => [-1, 1].flatMap((s) => p.map((v, j) => v + (j === k ? s * size : 0))));
      return { points: new Float32Array(ends), colour: on ? HELD : FREE, width: on ? 4 : 2.5, above: true };
    });
  }

  solids() { return []; }

  where(role) {
    const view = this.player.view();
    return onScreen(view, this.points[role], view.width, view.height);
  }

  under(x, y) {
    const away = (role) => {
      const at = this.where(role);
      return at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
    };
    const role = Object.keys(this.points).reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
    return role && away(role) < CATCH ? role : null;
  }

  hover(event) {
    if (this.held || event.buttons) return;
    const box = this.player.stage.canvas.getBoundingClientRect();
    const near = this.under(event.clientX - box.left, event.clientY - box.top);
    if (near === this.near) return;
    this.near = near;
    this.player.stage.canvas.style.cursor = near ? 'grab' : '';
    this.player.change();
  }

  grab(x, y, event) {
    const role = event.button === 0 && !event.shiftKey && !this.player.mode ? this.under(x, y) : null;
    if (!role) return null;
    this.rest();
    const first = this.points[role], begin = this.player.pointAt(x, y, first);
    let now = first;
    this.held = role;
    return {
      move: (px, py) => {
        const by = sub(this.player.pointAt(px, py, first), begin);
        now = first.map((v, k) => (Math.abs(by[k]) < this.step / 2 ? v : Math.round((v + by[k]) / this.step) * this.step));
        this.points = { ...this.points, [role]: now };
        this.tell(role, now, false);
        this.player.change();
      },
      drop: () => {
        this.held = null;
        if (now !== first) this.tell(role, now, true);
        this.player.change();
      },
    };
  }

  get camera() {
    const { yaw, pitch, distance, target, parallel } = this.player.camera;
    return { yaw, pitch, distance, target, parallel };
  }

  set camera(seen) {
    Object.assign(this.player.camera, seen);
    this.player.change();
  }
}

// The stage has all of the room: values and plots are on the page around.
for (const name of ['side', 'plots']) $(name).style.display = 'none';
Object.assign(document.querySelector('main').style, { gridTemplateColumns: 'minmax(0, 1fr)',
  gridTemplateRows: 'minmax(0, 1fr) auto', gridTemplateAreas: '"stage" "time"' });
const hardpoints = new Hardpoints(player);
hardpoints.rest();
addEventListener('resize', () => player.change());
requestAnimationFrame(() => player.fit());
Object.defineProperty(window, 'hardpoints', { value: hardpoints, configurable: true });
