// Pointer and keys.

// One pointer turns, with shift or another button moves; two pointers move and zoom; a short press selects.
function listenToPointer(player) {
  const { canvas } = player.stage, pointers = new Map();
  let moved = 0, held = null; // what the pointer drags instead of turning the view
  const within = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const drop = (event) => {
    if (held) held.drop(...within(event));
    held = null;
  };
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pointers.size === 1) moved = 0;
    if (pointers.size === 1 && player.grab) held = player.grab(...within(event), event);
    else drop(event);
  };
  canvas.onpointermove = (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const height = canvas.clientHeight || 1, old = pointers.size === 2 ? spread() : null;
    const dx = event.clientX - before.x, dy = event.clientY - before.y;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved += Math.abs(dx) + Math.abs(dy);
    if (held) {
      if (moved >= 3) held.move(...within(event));
    } else if (old) {
      const now = spread();
      player.camera.zoom(old.apart / now.apart);
      player.camera.pan((now.x - old.x) / height, (now.y - old.y) / height);
    } else if (event.shiftKey || event.buttons & 6) player.camera.pan(dx / height, dy / height);
    else player.camera.orbit(3.4 * dx / height, 3.4 * dy / height);
    player.change();
  };
  canvas.onpointerup = (event) => {
    const pressedAlone = pointers.size === 1 && pointers.has(event.pointerId);
    pointers.delete(event.pointerId);
    drop(event);
    if (!pressedAlone || moved >= 5 || event.button !== 0) return;
    player.click(...within(event));
  };
  canvas.onpointercancel = (event) => {
    pointers.delete(event.pointerId);
    drop(event);
  };
  canvas.ondblclick = () => player.fit();
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), high = box.height || 1;
    player.camera.zoom(Math.exp(clamp(event.deltaY * (event.deltaMode ? 30 : 1), -300, 300) * 0.0015),
      (event.clientX - box.left - box.width / 2) / high, (box.top + box.height / 2 - event.clientY) / high);
    player.change();
  }, { passive: false });
}

function pressed(player, event) {
  const { tagName, type } = event.target, onSlider = event.target.id === 'slider';
  const typing = ['SELECT', 'TEXTAREA'].includes(tagName) || (tagName === 'INPUT' && type !== 'checkbox' && !onSlider);
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.key === ' ' && (tagName === 'BUTTON' || tagName === 'SUMMARY' || type === 'checkbox')) return;
  const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
  const views = Object.keys(VIEWS), number = Number(event.key);
  const acts = { ' ': () => player.play(!player.playing), ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    Home: () => player.scrub(player.start), End: () => player.scrub(player.end), f: () => player.fit(),
    o: () => player.toggleParallel(), m: () => player.setMode(player.mode === 'measure' ? null : 'measure'),
    t: () => player.looks.choose(LOOKS[player.looks.name]), '+': () => player.camera.zoom(0.85), '-': () => player.camera.zoom(1 / 0.85),
    Escape: () => (player.mode ? player.setMode(null) : player.choose(-1)) };
  const act = event.shiftKey && turn ? () => player.camera.orbit(...turn)
    : number >= 1 && number <= views.length ? () => player.look(views[number - 1]) : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
  player.change();
}

