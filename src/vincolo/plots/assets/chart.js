// Charts: a frame with two axes, and lines and bands in it.

const MARGIN = { left: 70, right: 14, top: 10, bottom: 36 };

// The ranges of two axes and the pixels they are drawn at.
class Frame {
  constructor(width, height, [x0, x1], [y0, y1], log = false) {
    Object.assign(this, { width, height, x0, x1, y0, y1, log, left: MARGIN.left, right: width - MARGIN.right,
      top: MARGIN.top, bottom: height - MARGIN.bottom });
    [this.low, this.high] = log ? [Math.log10(y0), Math.log10(y1)] : [y0, y1];
  }

  x(v) { return this.left + (v - this.x0) / (this.x1 - this.x0) * (this.right - this.left); }

  y(v) {
    const height = this.log ? (v > 0 ? Math.log10(v) : NaN) : v;
    return this.bottom - (height - this.low) / (this.high - this.low) * (this.bottom - this.top);
  }

  xAt(pixel) { return this.x0 + (pixel - this.left) / (this.right - this.left) * (this.x1 - this.x0); }

  yAt(pixel) {
    const height = this.low + (this.bottom - pixel) / (this.bottom - this.top) * (this.high - this.low);
    return this.log ? 10 ** height : height;
  }

  holds(x, y) { return x >= this.left && x <= this.right && y >= this.top && y <= this.bottom; }
}

// The range of numbers with some room around them; null if there are none.
function rangeOf(low, high, room, log) {
  if (low > high) return null;
  if (log) return [0.7 * low, high > low ? 1.4 * high : 3 * high];
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high));
  const pad = high - low > least ? room * (high - low) : 0.5 * (Math.max(Math.abs(low), Math.abs(high)) || 1);
  return [low - pad, high + pad];
}

// Round values in a range, with their texts in multiples of `unitSize`; about `count` of them.
function ticks(low, high, count, unitSize) {
  const step = roundUp((high - low) / Math.max(count, 2)), found = [];
  const digits = clamp(Math.ceil(-Math.log10(step / unitSize) - 1e-9), 0, 12);
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step && found.length < 40; k++) {
    found.push([k * step, (k * step / unitSize).toFixed(digits).replace(/^-(?=[0.]*$)/, '').replace('-', '\u2212')]);
  }
  return found;
}

// Powers of ten in a range; also twice and five times them if there are few.
function decades(low, high, count) {
  const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high) + 1e-9), found = [];
  const step = Math.max(1, Math.ceil((last - first) / Math.max(count, 2))), factors = last - first < 3 ? [1, 2, 5] : [1];
  for (let k = first; k <= last; k += step) {
    for (const f of factors) found.push([f * 10 ** k, `${f > 1 ? `${f}\u00b7` : ''}10${superscript(k)}`]);
  }
  return found.filter(([v]) => v >= low * (1 - 1e-9) && v <= high);
}

// The power of ten that numbers of a range are told in.
function powerOf(low, high) {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return largest >= 1e4 || largest < 1e-2 ? 3 * Math.floor(Math.log10(largest) / 3) : 0;
}

// `slider.x [m]`, or `slider.x [10\u00b3 m]` for numbers in thousands.
function titled(title, power) {
  if (!power) return title;
  const scale = `10${superscript(power)}`, found = title.match(/^(.*) \[([^\]]*)\]$/);
  return found ? `${found[1]} [${scale} ${found[2]}]` : `${title} [${scale}]`;
}

function drawAxes(pen, frame, colours, xTitle, yTitle) {
  const { ink, faint, edge } = colours, { left, right, top, bottom } = frame;
  pen.clearRect(0, 0, frame.width, frame.height);
  pen.font = `12px ${LETTERS}`;
  pen.lineWidth = 1;
  const power = frame.log ? 0 : powerOf(frame.y0, frame.y1), across = powerOf(frame.x0, frame.x1);
  const rungs = frame.log ? decades(frame.y0, frame.y1, (bottom - top) / 34)
    : ticks(frame.y0, frame.y1, (bottom - top) / 34, 10 ** power);
  for (const [value, text] of rungs) {
    const y = Math.round(frame.y(value)) + 0.5;
    stroke(pen, faint, [[left, y], [right, y]]);
    write(pen, ink, text, left - 7, y, 'right', 'middle');
  }
  for (const [value, text] of ticks(frame.x0, frame.x1, (right - left) / 70, 10 ** across)) {
    const x = Math.round(frame.x(value)) + 0.5;
    stroke(pen, faint, [[x, top], [x, bottom]]);
    write(pen, ink, text, x, bottom + 6, 'center', 'top');
  }
  stroke(pen, edge, [[left + 0.5, top], [left + 0.5, bottom + 0.5], [right, bottom + 0.5]]);
  write(pen, ink, titled(xTitle, across), (left + right) / 2, frame.height - 3, 'center', 'bottom', right - left);
  pen.save();
  pen.translate(10, (top + bottom) / 2);
  pen.rotate(-Math.PI / 2);
  write(pen, ink, titled(yTitle, power), 0, 0, 'center', 'middle', bottom - top + 30);
  pen.restore();
}

// All that `draw` does stays within the frame.
function inside(pen, frame, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, frame.top - 2, frame.right - frame.left, frame.bottom - frame.top + 4);
  pen.clip();
  draw();
  pen.restore();
}

// A line through points; gaps where something is not a number, nothing for points that fall on the last one.
function drawLine(pen, frame, xs, ys, ink, dash) {
  pen.strokeStyle = ink;
  pen.lineWidth = 1.8;
  pen.lineJoin = 'round';
  pen.setLineDash(dashOf(dash));
  pen.beginPath();
  let down = false, px = NaN, py = NaN;
  for (let k = 0; k < xs.length; k++) {
    const x = frame.x(xs[k]), y = clamp(frame.y(ys[k]), -1e5, 1e5);
    if (x !== x || y !== y || Math.abs(x) > 1e6) { down = false; continue; }
    if (down && Math.abs(x - px) < 0.3 && Math.abs(y - py) < 0.3 && k < xs.length - 1) continue;
    if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
    [down, px, py] = [true, x, y];
  }
  pen.stroke();
  pen.setLineDash([]);
  if (xs.length === 1) pen.strokeRect(frame.x(xs[0]) - 2, frame.y(ys[0]) - 2, 4, 4);
}

function drawBand(pen, frame, band) {
  pen.fillStyle = band.colour;
  pen.globalAlpha = 0.25;
  pen.beginPath();
  band.x.forEach((v, k) => (k ? pen.lineTo(frame.x(v), frame.y(band.high[k])) : pen.moveTo(frame.x(v), frame.y(band.high[k]))));
  for (let k = band.x.length - 1; k >= 0; k--) pen.lineTo(frame.x(band.x[k]), frame.y(band.low[k]));
  pen.closePath();
  pen.fill();
  pen.globalAlpha = 1;
}

// Dotted lines where something happened.
function drawMarks(pen, frame, marks, colour) {
  pen.lineWidth = 1;
  pen.setLineDash([2, 3]);
  for (const t of marks) {
    const x = Math.round(frame.x(t)) + 0.5;
    if (t >= frame.x0 && t <= frame.x1) stroke(pen, colour, [[x, frame.top], [x, frame.bottom]]);
  }
  pen.setLineDash([]);
}

// Keys of lines in rows, as wide as there is room; returns the height.
function drawLegend(pen, colours, entries, width) {
  pen.font = `12px ${LETTERS}`;
  let x = 12, y = 10;
  for (const { label, ink, dash } of entries) {
    const wide = 34 + pen.measureText(label).width;
    if (x > 12 && x + wide > width) [x, y] = [12, y + 18];
    pen.lineWidth = 2;
    pen.setLineDash(dashOf(dash));
    stroke(pen, ink, [[x, y], [x + 20, y]]);
    pen.setLineDash([]);
    write(pen, colours.ink, label, x + 25, y, 'left', 'middle', width - x - 30);
    x += wide + 10;
  }
  return y + 10;
}

// The numbers under the pointer, beside it.
function fillReadout(host, when, rows, x, width) {
  host.replaceChildren(make('div', { className: 'when', textContent: when }), ...rows.map(({ label, ink, text }) => {
    const row = make('div', {}, make('i', {}), make('span', { textContent: label }), make('b', { textContent: text }));
    row.firstChild.style.background = ink;
    return row;
  }));
  const onRight = x > width / 2;
  host.style.left = onRight ? 'auto' : `${x + 12}px`;
  host.style.right = onRight ? `${width - x + 12}px` : 'auto';
}
