// The variants of a study: numbers by column, those that are done so far.

const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]; // from low to high

class StudyTable {
  // `columns` have a name, a unit, and whether they are parameters; `count` is how many variants there will be.
  constructor({ columns, count }) {
    Object.assign(this, { columns, count, numbers: [], rows: [], places: new Map() });
    this.ranges = columns.map(() => [Infinity, -Infinity]);
  }

  get length() { return this.numbers.length; }

  // Rows of variants by their numbers, one behind the other.
  add(numbers, values) {
    const wide = this.columns.length;
    numbers.forEach((number, k) => {
      const row = Array.from(values.subarray(k * wide, (k + 1) * wide));
      if (this.places.has(number)) return;
      this.places.set(number, this.numbers.length);
      this.numbers.push(number);
      this.rows.push(row);
      row.forEach((v, c) => {
        this.ranges[c] = [Math.min(this.ranges[c][0], v), Math.max(this.ranges[c][1], v)];
      });
    });
  }

  row(number) { return this.rows[this.places.get(number)]; }

  head(c) {
    const { name, unit } = this.columns[c];
    return unit ? `${name} [${prettyUnit(unit)}]` : name;
  }

  // Where a value stands between the least and the greatest of its column.
  share(c, v) {
    const [low, high] = this.ranges[c];
    return high > low ? (v - low) / (high - low) : 0.5;
  }

  ink(c, v) {
    const at = clamp(this.share(c, v), 0, 1) * (SCALE.length - 1), k = Math.min(Math.floor(at), SCALE.length - 2);
    return `rgb(${SCALE[k].map((low, j) => Math.round(low + (at - k) * (SCALE[k + 1][j] - low))).join(',')})`;
  }

  // Numbers of the variants that no other beats in two columns; a sign is 1 where less is better, -1 where more is.
  front(x, y, signX, signY) {
    const order = this.numbers.map((number, k) => [signX * this.rows[k][x], signY * this.rows[k][y], number])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    let least = Infinity;
    return order.filter(([, v]) => {
      if (v >= least) return false;
      least = v;
      return true;
    }).map(([, , number]) => number);
  }

  // The one of some variants that is nearest to another in the parameters, each over its range.
  nearest(number, among) {
    const here = this.row(number);
    const away = (other) => this.columns.reduce((sum, { parameter }, c) => sum
      + (parameter ? (this.share(c, here[c]) - this.share(c, this.row(other)[c])) ** 2 : 0), 0);
    return among.filter((n) => this.places.has(n)).sort((a, b) => away(a) - away(b))[0];
  }
}
