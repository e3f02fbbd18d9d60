// The model as the program tells it: its tree, what can be in it, and questions to the program.

const HIDDEN_SECTIONS = ['vincolo', 'name', 'gravity', 'run', 'looks', 'switches'];
const SECTION_ORDER = ['parameters', 'points', 'suspensions', 'vehicles', 'tyres', 'bodies', 'submodels', 'frames', 'joints', 'measures',
  'drives', 'holds', 'springs', 'laws', 'actuators', 'rotors', 'loads', 'stops', 'frictions', 'contacts', 'inputs', 'variables', 'states',
  'events', 'ranges', 'outputs', 'tolerances', 'study', 'load_cases', 'limits'];

class Mechanism {
  constructor(link) {
    Object.assign(this, { link, tree: {}, catalogue: null, said: {}, waiting: new Map(), number: 0 });
  }

  // Asks the program; the promise is kept when it answers, and broken with an Error if it refuses.
  ask(type, data = {}) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (this.link.send({ type, id, ...data })) return;
      this.waiting.delete(id);
      reject(new Error('The program behind this page does not answer.'));
    });
  }

  done({ id, error, others, ...found }) {
    const waits = this.waiting.get(id);
    this.waiting.delete(id);
    if (!waits) {
      if (error) tellFor(error, 12);
    } else if (error) waits.reject(Object.assign(new Error(error), { others }));
    else waits.resolve(found);
  }

  act(action) { return this.ask('act', { action }); }

  take(message) {
    this.said = message;
    this.tree = message.tree;
  }

  part(place) { return place.reduce((found, key) => (found === undefined || found === null ? undefined : found[key]), this.tree); }

  has(place) { return this.part(place) !== undefined; }

  // Sections with parts, in the order of a file.
  sections() {
    const known = SECTION_ORDER.filter((s) => this.tree[s]);
    const others = Object.keys(this.tree).filter((s) => !known.includes(s) && !HIDDEN_SECTIONS.includes(s));
    return [...known, ...others].filter((s) => this.tree[s] && typeof this.tree[s] === 'object' && !Array.isArray(this.tree[s]));
  }

  names(section) { return Object.keys(this.tree[section] || {}); }

  // Where a part with a name is, or null; parts of sub-models are those of the sub-model.
  find(name) {
    const section = this.sections().find((s) => s !== 'points' && s !== 'parameters' && name in this.tree[s]);
    if (section) return [section, name];
    const cut = name.lastIndexOf('.');
    return cut > 0 ? this.find(name.slice(0, cut)) : null;
  }

  problemsAt(place) {
    return (this.said.problems || []).filter(({ at }) => place.every((key, k) => at[k] === key));
  }

  freeName(stem) {
    const taken = new Set(['ground', ...this.sections().flatMap((s) => this.names(s))]);
    let name = stem;
    for (let k = 2; taken.has(name); k++) name = `${stem}_${k}`;
    return name;
  }

  // The fields of a part: those of its section, of a joint those of its kind.
  fields(section, part) {
    const found = this.catalogue.sections[section];
    if (!found) return [];
    if (section !== 'joints') return found.fields;
    const kind = this.catalogue.joints[part.kind], between = part.between ? ['kind', 'between', 'length', 'parameters'] : null;
    if (!kind) return found.fields.filter(({ key }) => key in part || key === 'kind');
    const keys = between || ['kind', ...kind.keys], known = new Map();
    for (const field of found.fields) if (!known.has(field.key)) known.set(field.key, field);
    return keys.map((key) => ({ ...(known.get(key) || { key, kind: 'nested', help: '', unit: '' }),
      needed: key === 'kind' || kind.needed.includes(key) }));
  }

  // Names that a field may take, for suggestions.
  suggestions(kind, key) {
    if (kind === 'point') return this.names('points');
    if (['a', 'b', 'where'].includes(key)) return ['ground', ...this.names('bodies'), ...this.names('frames')];
    if (key === 'on') return ['ground', ...this.names('bodies'), ...this.names('joints'), ...this.names('stops')];
    if (key === 'measure' || key === 'of') return [...(this.said.measures || []), ...this.names('parameters')];
    if (kind === 'direction') return ['x', 'y', 'z', '-x', '-y', '-z'];
    if (kind === 'pair') return this.names('frames');
    return [];
  }
}

// A value as people type it.
function typed(value) {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((v) => typeof v !== 'object')) return value.map(typed).join(', ');
  if (typeof value === 'object') return flowOf(value);
  return String(value);
}

// A map or list on one line, as in YAML.
function flowOf(value) {
  if (Array.isArray(value)) return `[${value.map(flowOf).join(', ')}]`;
  if (value && typeof value === 'object') {
    return `{${Object.entries(value).map(([k, v]) => `${wordOf(k)}: ${flowOf(v)}`).join(', ')}}`;
  }
  return typeof value === 'string' ? wordOf(value) : String(value);
}

const wordOf = (text) => (/^[A-Za-z_][\w .*/()^+-]*$/.test(text) && !/ $|^(true|false|null|yes|no|on|off)$/i.test(text)
  ? text : JSON.stringify(text));
