// Bars from left to right with their shares behind them.

class BarsView {
  constructor(data, array, host, look) {
    Object.assign(this, { title: data.title, xTitle: data.xTitle, labels: data.labels, values: data.values, host, look });
    this.picture = make('div', { className: 'picture' });
    host.append(make('figure', { className: 'plot' }, make('div', { className: 'area' }, this.picture)));
    if (!look.fixed) new ResizeObserver(() => this.draw()).observe(host);
    this.draw();
  }

  draw() {
    this.size = [this.look.fixed ? FIXED : Math.max(this.host.clientWidth, 240), 60 + 30 * this.labels.length];
    const pen = new SvgPen(...this.size);
    this.paint(pen);
    this.picture.innerHTML = pen.text();
    this.picture.parentElement.style.height = this.look.fixed ? '' : `${this.size[1]}px`;
  }

  paint(pen) {
    const { colours, dark } = this.look, [width, height] = this.size, largest = Math.max(1e-12, ...this.values);
    pen.font = `12px ${LETTERS}`;
    const left = Math.min(0.4 * width, 24 + Math.max(0, ...this.labels.map((text) => pen.measureText(text).width)));
    const scale = (width - left - 70) / largest;
    for (const [value, text] of ticks(0, 100 * largest, (width - left) / 80, 1)) {
      const x = Math.round(left + scale * value / 100) + 0.5;
      stroke(pen, colours.faint, [[x, 8], [x, height - 40]]);
      write(pen, colours.ink, `${text} %`, x, height - 34, 'center', 'top');
    }
    this.values.forEach((value, k) => {
      const y = 12 + 30 * k;
      pen.fillStyle = (dark ? DARK_INKS : INKS)[0];
      pen.fillRect(left, y, Math.max(scale * value, 0.5), 20);
      write(pen, colours.ink, this.labels[k], left - 8, y + 10, 'right', 'middle', left - 14);
      write(pen, colours.ink, `${(100 * value).toFixed(1)} %`, left + scale * value + 6, y + 10, 'left', 'middle');
    });
    write(pen, colours.ink, this.xTitle, (left + width) / 2, height - 3, 'center', 'bottom');
  }

  zoom() {}

  content() {
    return { width: this.size[0], colours: this.look.colours, title: this.title,
      charts: [{ size: this.size, legend: [], paint: (pen) => this.paint(pen) }],
      columns: [{ head: 'source', values: this.labels }, { head: this.xTitle, values: this.values }] };
  }
}
