// The beginning of a page that is complete in itself.

const { about, array } = unpacked();
const player = new Player({ ...about, runs: about.runs.map((run, k) => new Run(run, array, k)) });
Object.defineProperty(window, 'vincolo', { value: offered(player), configurable: true });
