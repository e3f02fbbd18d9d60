// Pens: that of a canvas, and one with the same words that writes an SVG image.

const LETTERS = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif';
const INKS = ['#0b6fb8', '#d1495b', '#2a9d5c', '#e08e1b', '#7a4fbf', '#4b5563', '#17a2a2', '#b5547e', '#8a6d1f',
  '#5b8def'];
const DARK_INKS = ['#4aa8ea', '#f07a89', '#5ccf8f', '#f2b04e', '#a98bea', '#a8b3c0', '#4fd0d0', '#e08fb4',
  '#c9ab55', '#8fb4ff'];
const DASHES = [[], [6, 5], [2, 4], [9, 3, 2, 3]];

const dashOf = (k) => (k ? DASHES[1 + (k - 1) % 3] : DASHES[0]);
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const short = (x) => Number(x.toFixed(2));

function stroke(pen, colour, points) {
  pen.strokeStyle = colour;
  pen.beginPath();
  points.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function write(pen, colour, text, x, y, align, base, most) {
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.textBaseline = base;
  pen.fillText(text, x, y, most);
}

function disc(pen, x, y, radius, fill, edge) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = 1.2;
  pen.stroke();
}

// What a canvas can do, as far as charts need it, written as SVG.
class SvgPen {
  constructor(width, height, paper) {
    Object.assign(this, { width, height, lineWidth: 1, strokeStyle: '#000', fillStyle: '#000', font: '12px sans-serif',
      textAlign: 'left', textBaseline: 'alphabetic', globalAlpha: 1, path: [], parts: [], dash: [], depths: [], open: 0,
      clips: 0 });
    this.ruler = document.createElement('canvas').getContext('2d');
    if (paper) this.parts.push(`<rect width="${width}" height="${height}" fill="${paper}"/>`);
  }

  text() {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" `
      + `height="${this.height}">${this.parts.join('')}</svg>`;
  }

  beginPath() { this.path = []; }

  moveTo(x, y) { this.path.push(`M${short(x)} ${short(y)}`); }

  lineTo(x, y) { this.path.push(`L${short(x)} ${short(y)}`); }

  closePath() { this.path.push('Z'); }

  rect(x, y, w, h) { this.path.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`); }

  arc(x, y, r) {
    this.path.push(`M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`);
  }

  setLineDash(dash) { this.dash = dash; }

  drawn(paint) { if (this.path.length) this.parts.push(`<path d="${this.path.join('')}" ${paint}/>`); }

  stroke() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    this.drawn(`fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"${dash}`);
  }

  fill() { this.drawn(`fill="${this.fillStyle}" fill-opacity="${this.globalAlpha}"`); }

  fillRect(x, y, w, h) {
    this.beginPath();
    this.rect(x, y, w, h);
    this.fill();
  }

  strokeRect(x, y, w, h) {
    this.beginPath();
    this.rect(x, y, w, h);
    this.stroke();
  }

  clearRect() {}

  begin(attributes) {
    this.parts.push(`<g ${attributes}>`);
    this.open += 1;
  }

  save() { this.depths.push(this.open); }

  restore() {
    for (const depth = this.depths.pop(); this.open > depth; this.open--) this.parts.push('</g>');
  }

  translate(x, y) { this.begin(`transform="translate(${short(x)} ${short(y)})"`); }

  rotate(angle) { this.begin(`transform="rotate(${short(angle * 180 / Math.PI)})"`); }

  clip() {
    const name = `clip${this.clips++}-${Math.random().toString(36).slice(2, 8)}`;
    this.parts.push(`<clipPath id="${name}"><path d="${this.path.join('')}"/></clipPath>`);
    this.begin(`clip-path="url(#${name})"`);
  }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(text, x, y, most) {
    const size = parseFloat(this.font.match(/([\d.]+)px/)[1]), { width } = this.measureText(text);
    const fitted = most && width > most ? size * most / width : size;
    const anchor = { left: 'start', center: 'middle', right: 'end' }[this.textAlign];
    const down = { top: 0.8, middle: 0.35, bottom: -0.2, alphabetic: 0 }[this.textBaseline] * fitted;
    const bold = /\b(bold|[6-9]00)\b/.test(this.font) ? ' font-weight="600"' : '';
    this.parts.push(`<text x="${short(x)}" y="${short(y + down)}" font-size="${short(fitted)}"${bold} `
      + `font-family="${escaped(LETTERS)}" text-anchor="${anchor}" fill="${this.fillStyle}">${escaped(text)}</text>`);
  }
}
