// For scripts.

// window.vincolo: `time` can be read and set; select(name) shows a part, select(null) none; state() tells everything
// that is shown now; play(), pause(), look(view), plot(name), trace(name), vectors(kind, on), show(kind, on);
// where(name) is the pixel of a part, under(x, y) the part at a pixel; values() are all series with their units, now;
// point(at) and measure(points) take places [number of a body, x, y, z] on bodies [m].
function offered(player) {
  const numberOf = (name) => player.runs[0].parts.findIndex((part) => part.name === name);
  return {
    get time() { return player.time; },
    set time(value) { player.scrub(Number(value)); },
    select: (name) => player.choose(name === null ? -1 : numberOf(name)),
    play: () => player.play(true),
    pause: () => player.play(false),
    look: (view) => player.look(view),
    plot: (name) => player.togglePlot(name),
    trace: (name) => {
      player.marks.trace(`origin ${name}`, player.runs[0].parts[numberOf(name)].at);
      player.panel.select();
    },
    vectors: (kind, on = true) => player.showVectors(kind, on),
    show: (kind, on = true) => {
      player.shown[kind] = on;
      player.panel.listKinds();
      player.change();
    },
    values: () => {
      const run = player.runs[0], place = run.place(player.time);
      return Object.fromEntries([...run.series].map(([name, series]) => [name, [series.unit, series.at(place)]]));
    },
    point: (at) => player.marks.addPoint(at).name,
    measure: (points) => {
      player.marks.measured = points;
      player.change();
    },
    under: (x, y) => {
      const found = player.under(x, y);
      return found && { part: (player.runs[0].parts[found.solid.item.part] || {}).name, at: found.at };
    },
    where: (name) => {
      const run = player.runs[0], view = player.view(), part = run.parts[numberOf(name)], poses = run.poses(run.place(player.time));
      return onScreen(view, worldPoint(poses, part.centre || part.at), view.width, view.height);
    },
    state: () => {
      const run = player.runs[0], place = run.place(player.time), poses = run.poses(place), { part } = player;
      return { time: player.time, start: player.start, end: player.end, playing: player.playing,
        pictures: player.pictures, speed: Number($('speed').value), selected: part ? part.name : null,
        parts: run.parts.map((p) => p.name), runs: player.runs.map((r) => r.label),
        values: Object.fromEntries((part ? part.series : []).map((n) => [n, run.series.get(n).at(place)])),
        plots: [...player.plots.names], panels: player.plots.panels.map((p) => p.title),
        samples: run.t.length, notes: player.runs.flatMap((r) => r.notes), measured: player.marks.measurement(poses),
        points: player.marks.points.map((p) => ({ name: p.name, at: worldPoint(poses, p.at) })),
        texts: player.overlay.texts.map((t) => t.text), drawn: player.stage.usable };
    },
  };
}
