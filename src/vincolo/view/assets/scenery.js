// What the player puts on the stage and around it: shapes at a time, the floor, notes, events; the picture as a file.

const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];

// The shapes of a run at a time.
function solidsOf(player, run, poses) {
  const found = [], visible = (item) => !player.hidden.has(item.part)
    && player.shown[{ damper: 'spring', rod: 'joint' }[item.kind] || item.kind] !== false;
  for (const item of run.items) {
    if (visible(item)) found.push({ item, mesh: item.mesh, ...poses[item.body], colour: item.colour });
  }
  for (const link of run.links) {
    if (!visible(link)) continue;
    const a = worldPoint(poses, link.a), d = sub(worldPoint(poses, link.b), a), qa = poses[link.a[0]].q;
    const q = product(qa, product(onto(link.first, turnedBack(qa, unit(d))), link.laid));
    const size = [1, 1, Math.max(length(d), 1e-6 * run.size)];
    found.push({ item: link, mesh: link.mesh, p: a, q, size, colour: link.colour });
  }
  return found;
}

// Names of all parts, at their places.
function putLabels(player, run, poses) {
  run.parts.forEach((part, k) => {
    if (!part.at || player.hidden.has(k) || player.shown[part.kind] === false) return;
    player.overlay.put(worldPoint(poses, part.centre || part.at), part.name, '');
  });
}

// Forgets shapes that no run has any more.
function keepShapes({ runs, stage }) {
  const used = new Set(runs.flatMap((run) => [...run.items, ...run.links].map((item) => item.mesh)));
  forgetShapes(used);
  stage.keep(new Set([...used, SHAFT, HEAD, POINT]));
}

// The floor under a mechanism, with a grid of round steps.
function makeFloor(player) {
  const [right, ahead, up] = player.runs[0].axes;
  const low = (axis) => player.cloud.reduce((m, p) => Math.min(m, dot(p, axis)), Infinity);
  const high = (axis) => player.cloud.reduce((m, p) => Math.max(m, dot(p, axis)), -Infinity);
  const [x, y] = [right, ahead].map((axis) => (low(axis) + high(axis)) / 2);
  const wide = Math.max(high(right) - low(right), high(ahead) - low(ahead), 0.5 * (high(up) - low(up)), 0);
  const extent = wide || player.runs[0].size || 1;
  const height = low(up) - 0.02 * player.runs[0].size, step = roundUp(extent / 12);
  return { right, ahead, up, height, step, reach: 1.7 * extent, origin: [x % (5 * step), y % (5 * step)],
    middle: add(add(times(x, right), times(y, ahead)), times(height, up)) };
}

// The floor in the colours of now.
function floorNow(player) {
  const ink = player.dark ? [0.75, 0.8, 0.88, 0.3] : [0.3, 0.36, 0.45, 0.34];
  return { ...player.floor, ink, shade: [0, 0, 0], shadow: player.dark ? 0.28 : 0.1 };
}

// The picture with its texts as a file.
function savePicture(player) {
  player.draw();
  const { canvas, ratio } = player.stage, sheet = make('canvas', { width: canvas.width, height: canvas.height });
  const pen = sheet.getContext('2d');
  pen.drawImage(canvas, 0, 0);
  pen.scale(ratio, ratio);
  pen.font = '600 12px system-ui, sans-serif';
  for (const { spot, text } of player.overlay.texts) {
    if (spot) write(pen, player.colours.ink, text, spot[0] + 12, spot[1], 'left', 'middle');
  }
  sheet.toBlob((blob) => saveBlob(blob, 'png'));
}

// The controls of time: how fast it can play, and what happened on the way.
function setControls(player, keep = false) {
  const lasts = player.end - player.start, real = lasts >= 2 && lasts <= 20;
  if (!keep) {
    const chosen = real || !(lasts > 0) ? 1 : roundUp(lasts / 7.5);
    const around = SPEEDS.map((f) => Number((f * chosen).toPrecision(3)));
    const speeds = [...new Set([...SPEEDS, ...around])].sort((a, b) => a - b);
    $('speed').replaceChildren(...speeds.map((s) => make('option', { value: s, textContent: `${s}\u00d7` })));
    $('speed').value = Number(chosen.toPrecision(3));
  }
  for (const id of ['play', 'back', 'ahead', 'slider']) $(id).disabled = !(lasts > 0);
  const events = lasts > 0 ? player.runs[0].events : [];
  $('happened').replaceChildren(...events.map(([t, title]) => eventMark(player, t, title, lasts)));
}

// An event on the bar of time: what happened, and a way there.
function eventMark(player, t, title, lasts) {
  const mark = make('i', { title, onclick: () => player.scrub(t) });
  mark.style.left = `${100 * (t - player.start) / lasts}%`;
  return mark;
}

// Notes about the runs, and a legend if there are several.
function tellNotes(player) {
  const notes = player.runs.flatMap((run) => run.notes.map((note) => (run.label ? `${run.label}: ${note}` : note)));
  if (!player.stage.usable) notes.push('This browser has no WebGL 2: nothing is drawn, but values and plots work.');
  $('notes').replaceChildren(...notes.map((textContent) => make('p', { textContent })));
  document.body.classList.toggle('several', player.runs.length > 1);
  if (player.runs.length < 2) return;
  $('runs').replaceChildren(...player.runs.map((run, k) => {
    const colour = k ? GHOSTS[(k - 1) % GHOSTS.length] : [0.27, 0.51, 0.71], mark = make('i', {});
    mark.style.background = `rgb(${colour.map((c) => Math.round(255 * c)).join(' ')})`;
    return make('div', {}, mark, make('span', { textContent: run.label || run.model }));
  }));
}
