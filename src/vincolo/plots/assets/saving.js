// Files from a page: pictures as PNG and SVG, numbers as CSV.

function saveBlob(blob, ending, part = '') {
  const name = [document.title, part].filter(Boolean).join(' ').replace(/[^\p{L}\p{N}_. -]+/gu, '') || 'plot';
  const link = make('a', { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Charts under each other with a title and legends, by whatever pen: each has `legend`, `size` and `paint(pen)`.
function compose(makePen, width, colours, title, charts) {
  const ruler = new SvgPen(width, 1), gap = 8;
  const tops = charts.map((chart) => (chart.legend.length ? drawLegend(ruler, colours, chart.legend, width) : 0));
  const head = title ? 34 : 8;
  const height = charts.reduce((sum, chart, k) => sum + tops[k] + chart.size[1] + gap, head);
  const pen = makePen(width, height);
  if (title) {
    pen.font = `600 16px ${LETTERS}`;
    write(pen, colours.ink, title, 12, 18, 'left', 'middle', width - 24);
  }
  let y = head;
  charts.forEach((chart, k) => {
    pen.save();
    pen.translate(0, y);
    if (chart.legend.length) drawLegend(pen, colours, chart.legend, width);
    pen.translate(0, tops[k]);
    chart.paint(pen);
    pen.restore();
    y += tops[k] + chart.size[1] + gap;
  });
  return pen;
}

function svgText(width, colours, title, charts) {
  return compose((w, h) => new SvgPen(w, h, colours.paper), width, colours, title, charts).text();
}

function saveSvg(width, colours, title, charts, part) {
  saveBlob(new Blob([svgText(width, colours, title, charts)], { type: 'image/svg+xml' }), 'svg', part);
}

function savePng(width, colours, title, charts, part) {
  const ratio = 2;
  let sheet;
  compose((w, h) => {
    sheet = make('canvas', { width: ratio * w, height: ratio * h });
    const pen = sheet.getContext('2d');
    pen.scale(ratio, ratio);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, w, h);
    pen.clearRect = () => {};
    return pen;
  }, width, colours, title, charts);
  sheet.toBlob((blob) => saveBlob(blob, 'png', part));
}

// A number with all the digits it has; those of single precision have nine.
const csvNumber = (v, single) => (v === v ? String(single ? Number(v.toPrecision(9)) : v) : 'nan');
const csvHead = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const csvCell = (values, k) => (k < values.length ? csvNumber(values[k], values instanceof Float32Array) : '');

// Columns of different lengths side by side; [{ head, values }].
function csvText(columns) {
  const rows = [columns.map((c) => csvHead(c.head)).join(',')];
  const most = Math.max(0, ...columns.map((c) => c.values.length));
  for (let k = 0; k < most; k++) rows.push(columns.map((c) => csvCell(c.values, k)).join(','));
  return `${rows.join('\n')}\n`;
}

function saveCsv(columns, part) { saveBlob(new Blob([csvText(columns)], { type: 'text/csv' }), 'csv', part); }

// Three buttons that save: PNG, SVG, CSV; `what()` gives width, colours, title, charts and columns.
function savers(what, part) {
  const save = { PNG: (w) => savePng(w.width, w.colours, w.title, w.charts, part),
    SVG: (w) => saveSvg(w.width, w.colours, w.title, w.charts, part), CSV: (w) => saveCsv(w.columns, part) };
  return Object.entries(save).map(([name, act]) => make('button', { className: 'save', textContent: name,
    title: name === 'CSV' ? 'Save the numbers as a table (CSV)' : `Save the plot as ${name}`,
    onclick: () => act(what()) }));
}
