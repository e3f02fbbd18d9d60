// The palette: what can be added, with pictures. What is missing is asked for before it is added.

const PALETTE = [
  ['Bodies', ['link', 'box', 'cylinder', 'sphere', 'rod', 'plate', 'tube', 'cone', 'ellipsoid', 'mesh'], true],
  ['Joints', ['revolute', 'prismatic', 'cylindrical', 'spherical', 'universal', 'planar', 'fixed', 'distance', 'guide', 'screw', 'gear', 'rack_and_pinion', 'belt', 'cam', 'point_on_curve'], true],
  ['Places', ['points', 'frames', 'parameters', 'measures', 'submodels'], true],
  ['Drives and forces', ['drives', 'springs', 'force', 'torque', 'actuators', 'laws', 'stops', 'frictions', 'contacts', 'rotors'], true],
  ['Signals', ['inputs', 'variables', 'states', 'events', 'outputs', 'ranges', 'holds'], false],
];
const SINGULAR = { points: 'point', frames: 'frame', parameters: 'parameter', measures: 'measure', submodels: 'sub-model', drives: 'drive', springs: 'spring', actuators: 'actuator',
  laws: 'law', stops: 'stop', frictions: 'friction', contacts: 'contact', rotors: 'rotor', inputs: 'input', variables: 'variable', states: 'state', events: 'event', outputs: 'output',
  ranges: 'range', holds: 'hold', force: 'force', torque: 'torque' };

class Palette {
  constructor(studio, host) { Object.assign(this, { studio, host }); }

  show() {
    const { catalogue } = this.studio.model, others = Object.keys(catalogue.joints).filter((k) => !PALETTE[1][1].includes(k));
    this.host.replaceChildren(...PALETTE.map(([title, kinds, open]) => make('details', { open }, make('summary', { textContent: title }),
      make('div', { className: 'grid' }, ...(title === 'Joints' ? [...kinds.filter((k) => k in catalogue.joints), ...others] : kinds).map((kind) => this.button(title, kind))))));
  }

  button(group, kind) {
    const { catalogue } = this.studio.model, name = (SINGULAR[kind] || kind).replaceAll('_', ' ');
    const about = (group === 'Bodies' ? catalogue.shapes[kind] : group === 'Joints' ? catalogue.joints[kind] : catalogue.sections[kind])?.about || '';
    const button = make('button', { title: `${name}: ${about}`, onclick: () => this.begin(group, kind) }, symbol(kind), make('span', { textContent: name }));
    button.dataset.kind = kind;
    return button;
  }

  // A part that is not in the model yet, with what is selected put in.
  async begin(group, kind) {
    const { model } = this.studio, wish = kind === 'drives' ? await model.ask('suggest', { joint: this.wished() }) : null, section = group === 'Bodies' ? 'bodies' : group === 'Joints' ? 'joints' : ['force', 'torque'].includes(kind) ? 'loads' : kind;
    const part = wish ? { measure: wish.measure, function: wish.function } : kind === 'link' ? { shape: shapeLike(model, { kind, radius: 0.01 }, kind) } : section === 'bodies' ? { shape: shapeLike(model, { kind }, kind), at: [0, 0, 0] } : section === 'joints' ? this.joint(kind) : this.other(section, kind);
    const stem = section === 'bodies' ? kind : section === 'joints' ? kind : SINGULAR[kind];
    this.form(section, model.freeName(section === 'points' ? 'P' : stem.replaceAll('-', '')), part);
  }

  chosen(section) { return this.studio.selection.filter((p) => p[0] === section && p.length > 1).map((p) => p[1]); }

  // The joint that the user has selected; one that has just been added is selected by that alone.
  wished() { return JSON.stringify(this.studio.selection) === this.fresh ? null : this.chosen('joints')[0] || null; }

  joint(kind) {
    const { model } = this.studio, about = model.catalogue.joints[kind], bodies = this.chosen('bodies'), all = model.names('bodies');
    const frames = this.chosen('frames'), both = kind === 'distance' ? [...frames, ...model.names('frames')] : bodies;
    const b = both.length > 1 ? both[1] : bodies[0] || both[0] || all[all.length - 1] || '', a = both.length > 1 ? both[0] : 'ground';
    const point = this.chosen('points')[0], at = point || this.studio.lastPoint || [0, 0, 0];
    const part = { kind, a, b };
    if (about.keys.includes('at')) part.at = at;
    for (const key of about.keys) if (!(key in part) && (about.needed.includes(key) || LIKELY[key]?.(kind))) part[key] = USUAL[key] ?? 1;
    return { ...part, ...axisFor(about, part) };
  }

  measure() {
    const joint = this.chosen('joints')[0], known = this.studio.model.said.measures || [];
    return this.chosen('measures')[0] || (joint && known.find((m) => m.startsWith(`${joint}.`))) || known[0] || '';
  }

  other(section, kind) {
    const body = this.chosen('bodies')[0] || this.studio.model.names('bodies').slice(-1)[0] || '', joint = this.chosen('joints')[0] || this.studio.model.names('joints')[0] || '';
    const frames = this.chosen('frames'), measure = this.measure();
    return { points: this.studio.lastPoint || [0, 0, 0], parameters: 1, frames: { on: body || 'ground', at: this.studio.lastPoint || [0, 0, 0] },
      measures: { kind: 'distance', between: frames.length > 1 ? frames.slice(0, 2) : ['ground', body].map((on) => ({ on, at: [0, 0, 0] })) }, submodels: { use: 'part.yaml', at: [0, 0, 0] },
      holds: { measure, function: 0 }, springs: frames.length > 1 ? { between: frames.slice(0, 2), k: 1000, c: 10 } : { measure, k: 1000, c: 10 },
      loads: { kind, where: frames[0] || body, components: [0, 0, kind === 'torque' ? 1 : 10] }, actuators: { measure, force: '10*sin(t)' }, laws: { measure, force: '10*dd' },
      stops: { measure, at_most: 1 }, frictions: { on: joint, mu: 0.1, radius: 0.01 }, contacts: { a: body, b: 'ground', shape_b: 'plane', friction: 0.3, restitution: 0.5 },
      rotors: { measure, inertia: 0.001 }, inputs: { value: 0 }, variables: { value: 0 }, states: { rate: '0', start: 0 }, events: { when: measure, stop: true },
      outputs: { what: measure }, ranges: { measure, at_least: -1, at_most: 1 } }[section];
  }

  // The form of a new part; with Enter it is added.
  form(section, name, part) {
    const { studio } = this, { model } = studio, host = studio.properties.host, texts = new Map();
    const fields = this.drafted(section, part);
    const title = { key: 'name', kind: 'text', label: 'name', needed: true, help: 'Each name can be used once.' };
    const send = (dry) => model.ask('add', { section, name: texts.get('name').input.value.trim(), dry, fields: fields.map(({ place, about }, k) => [place, texts.get(k).input.value, about.kind]) });
    const wrong = make('p', { className: 'trouble', hidden: true });
    const look = async () => {
      try {
        await send(true);
        wrong.hidden = true;
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    };
    const put = async () => {
      try {
        await send(false);
        studio.properties.draft = null;
        studio.select([[section, texts.get('name').input.value.trim()]]);
        this.fresh = JSON.stringify(studio.selection);
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    };
    const made = (about, text, key) => {
      const field = new Field(about, text, { look, take: look, choices: about.choices || null, list: model.suggestions(about.kind, about.key),
        more: about.kind === 'point' || section === 'points' ? [make('button', { className: 'small', type: 'button', textContent: '\u25ce', title: 'Pick it on the stage', onclick: () => studio.handles.pick(null, field) })] : [] });
      texts.set(key, field);
      return field.element;
    };
    const form = make('form', { id: 'adding' }, make('h2', {}, symbolOf(section, part), make('span', { textContent: `New: ${part.kind || part.shape?.kind || SINGULAR[section] || section}`.replaceAll('_', ' ') })),
      make('p', { className: 'about', textContent: (section === 'joints' ? model.catalogue.joints[part.kind] : model.catalogue.sections[section])?.about || '' }), made(title, name, 'name'),
      ...fields.map(({ about, text }, k) => made(about, text, k)), wrong, make('div', { className: 'buttons' }, make('button', { className: 'main', textContent: 'Add', type: 'submit' }),
        make('button', { textContent: 'Cancel', type: 'button', onclick: () => studio.select(studio.selection) })));
    form.onsubmit = (event) => {
      event.preventDefault();
      put();
    };
    form.onkeydown = (event) => {
      if (event.key === 'Enter' && event.target.tagName !== 'BUTTON') {
        event.preventDefault();
        put();
      }
    };
    host.replaceChildren(form);
    studio.tab('properties');
    studio.properties.draft = form;
    studio.properties.draftedFor = JSON.stringify(studio.selection);
    const first = fields.findIndex(({ about, text }) => about.needed && !text);
    texts.get(first < 0 ? 'name' : first).input.focus();
    texts.get('name').input.select();
    if (first < 0) look();
  }

  // Fields of a new part: those it has, those it needs, and the usual ones.
  drafted(section, part) {
    const { model } = this.studio;
    if (section === 'parameters') return [{ place: [], about: { key: 'value', kind: 'number', needed: true, help: 'A number, 5 mm, or =2*l.' }, text: typed(part) }];
    if (section === 'points') return [{ place: [], about: { key: 'at', kind: 'vector', needed: true, unit: 'm' }, text: typed(part) }];
    const listed = model.fields(section, part), found = [];
    for (const about of listed) {
      if (about.key === 'shape' && part.shape) {
        const kind = model.catalogue.shapes[part.shape.kind];
        found.push({ place: ['shape', 'kind'], about: { key: 'kind', label: 'shape', kind: 'text', choices: [part.shape.kind], needed: true }, text: part.shape.kind });
        for (const key of kind.keys) found.push({ place: ['shape', key], about: { key, ...SHAPE_FIELDS[key] || { kind: 'nested' }, needed: kind.needed.includes(key) }, text: typed(part.shape[key]) });
      } else if (about.key in part || about.needed && !(section === 'bodies') || section === 'joints' || (section === 'bodies' && [...(part.shape?.kind === 'link' ? [] : ['at']), 'colour', ...(part.shape ? [] : ['mass', 'inertia'])].includes(about.key))) {
        found.push({ place: [about.key], about: section === 'joints' && about.key === 'kind' ? { ...about, choices: [part.kind] } : about, text: typed(part[about.key]) });
      }
    }
    return found;
  }
}
