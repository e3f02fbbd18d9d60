// The panel of properties: everything that the selected part has, or may have.

const LONG_FUNCTIONS = ['function', 'force', 'profile', 'y', 'rate', 'normal'];

class Properties {
  constructor(studio, host) { Object.assign(this, { studio, host, shown: '' }); }

  // Shows the selection; a field that is being typed in stays as it is.
  show(anew = false) {
    const { selection } = this.studio, key = JSON.stringify(selection);
    if (this.draft && !anew && key === this.draftedFor) {
      this.draft.renew?.();
      return;
    }
    this.draft = null;
    const held = key === this.shown && this.host.contains(document.activeElement) ? document.activeElement.closest('.field') : null;
    this.shown = key;
    const [place] = selection.slice(-1);
    const rows = !place ? this.nothing() : selection.length > 1 ? this.several() : this.one(place);
    const k = held ? rows.findIndex((row) => row.dataset.key === held.dataset.key) : -1;
    if (k < 0) this.host.replaceChildren(...rows);
    else this.around(held, rows, k);
  }

  // Renews everything but the field that the user is in.
  around(held, rows, k) {
    for (const child of [...this.host.children]) if (child !== held) child.remove();
    held.before(...rows.slice(0, k));
    held.after(...rows.slice(k + 1));
    held.field.renew(rows[k].field);
  }

  nothing() {
    const { model } = this.studio, problems = (model.said.problems || []).filter((p) => !p.at.length);
    return [make('h2', { textContent: 'Nothing is selected' }), make('p', { className: 'about', textContent:
      'Select a part in the tree or on the stage. Add parts from the palette: first select the bodies that a joint connects.\n\n'
      + 'Keys: Ctrl+Z undo, Ctrl+C, X, V copy, cut, paste, Ctrl+F find, Ctrl+S save, Ctrl+Enter run, Delete removes, F2 renames, '
      + 'g handles, h hand, f fit, 1 to 7 views, space plays. Drop a file upon the window to open it.' }),
    ...problems.map((p) => make('p', { className: 'trouble', textContent: p.text }))];
  }

  several() {
    const { selection } = this.studio;
    return [make('h2', { textContent: `${selection.length} parts` }), make('p', { className: 'about', textContent: selection.map((p) => p[p.length - 1]).join(', ') }),
      this.buttons(selection)];
  }

  buttons(places) {
    const { studio } = this, row = make('div', { className: 'buttons' });
    const add = (textContent, title, onclick) => row.append(make('button', { textContent, title, onclick }));
    add('Duplicate', 'A copy beside it (Ctrl+D)', () => studio.duplicate());
    add('Copy', 'Ctrl+C', () => studio.copy(false));
    add('Remove', 'Delete', () => studio.remove(places));
    return row;
  }

  one(place) {
    const { model } = this.studio, [section, name] = place, part = model.part(place);
    if (part === undefined && !['run', 'gravity', 'name'].includes(section)) return this.nothing();
    if (place.length === 1) return this.top(section);
    const about = section === 'joints' ? model.catalogue.joints[part.kind]?.about : model.catalogue.sections[section]?.about;
    const title = new Field({ key: 'name', kind: 'text', help: 'Its name; it changes wherever it is used (F2)', needed: true }, name, {
      look: (to) => model.ask('try', { action: { do: 'rename', at: place, to } }),
      take: async (to) => {
        this.studio.selection = [[section, to]];
        try {
          await model.act({ do: 'rename', at: place, to });
        } catch (error) {
          this.studio.selection = [place];
          throw error;
        }
      } });
    title.element.classList.add('title');
    return [make('h2', {}, symbolOf(section, part), make('span', { textContent: name })), make('p', { className: 'about', textContent: about || '' }),
      ...model.problemsAt(place).map((p) => make('p', { className: 'trouble', textContent: p.text })), title.element,
      ...this.fields(place, section, part), ...(section === 'bodies' ? [this.along()] : []), this.buttons([place])];
  }

  // Whether what sits on a body goes with it when handles move it.
  along() {
    const { handles } = this.studio, row = make('div', { className: 'row' }, tick('handles take joints and frames along', handles.along, (on) => handles.takeAlong(on)));
    row.title = 'Else joints and frames stay where they are in the world, and the body moves under them (a)';
    return row;
  }

  top(section) {
    const { model } = this.studio;
    const title = { run: 'How it is run', gravity: 'Gravity', name: 'The model' }[section];
    const fields = section === 'run' ? model.catalogue.sections.run.fields.map((f) => this.field(['run', f.key], f)) : [
      this.field([section], section === 'gravity' ? { key: 'gravity', kind: 'vector', help: 'In world axes.', unit: 'm/s2' }
        : { key: 'name', kind: 'text', help: 'The name of the model.' })];
    return [make('h2', {}, symbol(section), make('span', { textContent: title })), ...model.problemsAt([section]).map((p) => make('p', {
      className: 'trouble', textContent: p.text })), ...fields];
  }

  fields(place, section, part) {
    const { model } = this.studio;
    if (section === 'parameters') return [this.field(place, { key: 'value', kind: 'number', help: 'A number, also with a unit such as 5 mm, or a formula such as =2*l.', needed: true })];
    if (section === 'points') return [this.field(place, { key: 'at', kind: 'vector', help: 'World coordinates as drawn.', unit: 'm', needed: true }, 'point')];
    const listed = model.fields(section, part), known = new Set(listed.map((f) => f.key));
    const unneeded = section === 'bodies' && part.shape ? ['mass', 'inertia', 'com', 'inertia_checked'] : [];
    const rows = listed.filter((f) => !unneeded.includes(f.key) || f.key in part).flatMap((f) => (f.key === 'shape' && part.shape && !Array.isArray(part.shape) ? this.shape([...place, 'shape'], part.shape)
      : [this.field([...place, f.key], f)]));
    const others = Object.keys(part).filter((key) => !known.has(key)).map((key) => this.field([...place, key], { key, kind: 'nested', help: 'Used by saved models.' }));
    return section === 'bodies' && !part.shape ? [...rows, ...others, this.shapeButton(place, part)] : [...rows, ...others];
  }

  // The shape of a body: its kind, and what that kind takes.
  shape(place, shape) {
    const { model } = this.studio, kind = model.catalogue.shapes[shape.kind];
    const head = make('p', { className: 'group', textContent: 'Shape', title: kind?.about || '' });
    const choose = new Field({ key: 'kind', kind: 'text', help: kind?.about || '', needed: true, label: 'shape' }, shape.kind || '', {
      choices: Object.keys(model.catalogue.shapes), look: async () => {}, take: (to) => model.act({ do: 'change', at: place, value: shapeLike(model, shape, to) }) });
    const keys = [...(kind ? kind.keys : []), 'at', 'orientation'];
    return [head, choose.element, ...this.weight(place[1]), ...keys.map((key) => this.field([...place, key], { key, ...SHAPE_FIELDS[key] || { kind: 'nested' },
      needed: kind?.needed.includes(key), label: key === 'at' ? 'shape at' : key === 'orientation' ? 'shape turned' : key }))];
  }

  // What follows from the shape.
  weight(name) {
    const found = this.studio.model.said.masses?.[name], few = (values) => values.map((v) => (Math.abs(v) < 1e-12 ? 0 : Number(v.toPrecision(4)))).join(', ');
    return found ? [make('p', { className: 'about weight', textContent: `Mass ${few([found.mass])} kg, centre of mass at ${few(found.com)} m, moments of inertia ${few(found.moments)} kg m\u00b2.` })] : [];
  }

  shapeButton(place, part) {
    const { model } = this.studio;
    return make('div', { className: 'buttons' }, make('button', { textContent: 'Mass by a shape', title: 'Mass and inertia follow from a shape',
      onclick: () => {
        const { mass, inertia, com, ...rest } = part;
        model.act({ do: 'change', at: place, value: { shape: { kind: 'box', size: [0.1, 0.1, 0.1], mass: mass ?? 1 }, ...rest } }).catch((e) => tellFor(e.message, 10));
      } }));
  }

  field(place, about, sliderName = null) {
    const { model } = this.studio, value = model.part(place), key = place[place.length - 1];
    const ask = (text, dry) => model.ask('enter', { at: place, text, kind: about.kind, dry });
    const kindOf = place[0] === 'joints' && key === 'kind' && place.length === 3;
    const take = kindOf ? (to) => this.otherKind(place.slice(0, 2), to) : (text) => ask(text, false);
    return new Field(about, typed(value), { look: kindOf ? async () => {} : (text) => ask(text, true), take, choices: about.choices || (about.kind === 'truth' ? ['true', 'false'] : null),
      list: model.suggestions(about.kind, key), more: this.more(place, about, value, sliderName) }).element;
  }

  // Another kind of joint: what both kinds have stays.
  otherKind(place, to) {
    const { model } = this.studio, part = model.part(place), kind = model.catalogue.joints[to];
    const kept = Object.fromEntries(Object.entries(part).filter(([key]) => kind.keys.includes(key)));
    const missing = Object.fromEntries(kind.keys.filter((key) => !(key in kept) && (kind.needed.includes(key) || LIKELY[key]?.(to))).map((key) => [key, USUAL[key] ?? 1]));
    return model.act({ do: 'change', at: place, value: { kind: to, ...kept, ...missing, ...axisFor(kind, { ...kept, ...missing }) } });
  }

  // Small buttons behind a field: pick a point on the stage, see a curve, slide a number.
  more(place, about, value, sliderName) {
    const { studio } = this, found = [], key = place[place.length - 1];
    const button = (textContent, title, onclick) => found.push(make('button', { className: 'small', type: 'button', textContent, title, onclick }));
    if (about.kind === 'point' || sliderName === 'point') button('\u25ce', 'Pick it on the stage', () => studio.handles.pick(place));
    if (about.kind === 'function' && LONG_FUNCTIONS.includes(key)) button('\u223f', 'As a curve, with its derivatives', () => studio.curves.open(place, about));
    if (about.kind === 'number' && value !== undefined && place[0] !== 'run' && !sliderName) button('\u2194', 'Study it with a slider', (event) => studio.runs.slider(event.target, place, value));
    return found;
  }
}

const SHAPE_FIELDS = { size: { kind: 'vector', unit: 'm', help: 'Edges x, y, z.' }, radius: { kind: 'number', unit: 'm' }, length: { kind: 'number', unit: 'm' },
  density: { kind: 'number', unit: 'kg/m3' }, mass: { kind: 'number', unit: 'kg' }, at: { kind: 'vector', unit: 'm', help: 'Where it sits on the body.' },
  points: { kind: 'nested', help: 'Of a link, in the axes of the body: [[0, 0, 0], [0.1, 0, 0]]. Empty: those of its joints and frames.' },
  axis: { kind: 'direction', help: 'x, y, z or three numbers.' }, normal: { kind: 'direction', help: 'x, y, z or three numbers.' }, height: { kind: 'number', unit: 'm' }, area: { kind: 'number', unit: 'm2' },
  inner_radius: { kind: 'number', unit: 'm' }, top_radius: { kind: 'number', unit: 'm' }, radii: { kind: 'vector', unit: 'm', help: 'Half axes x, y, z.' }, scale: { kind: 'number', help: 'Metres of a unit of the file: 0.001 for mm.' },
  orientation: { kind: 'nested', help: 'How it is turned: {axis: z, angle: 1.57}.' },
  thickness: { kind: 'number', unit: 'm' }, path: { kind: 'text', help: 'The mesh file, seen from the model.' } };
// Numbers to begin with, of joints and of shapes.
const USUAL = { ratio: 1, radius: 0.05, radius2: 0.05, pitch: 0.01, length: 0.1, angle: 1.5707963267948966, profile: '0.05 + 0.01*cos(t)', y: '0.05*sin(10*t)', z: 0, axis: 'z',
  end: [0.1, 0, 0], at: [0, 0, 0], at2: [0.1, 0, 0], point: [0, 0, 0], centre: [0, 0, 0.05], normal: 'z', axle: 'y', along: 'x', k: 1000 };
const USUAL_SHAPE = { size: [0.1, 0.1, 0.1], radius: 0.05, inner_radius: 0.03, top_radius: 0.03, radii: [0.05, 0.04, 0.03], length: 0.1, height: 0.1, mass: 1, density: 7850,
  path: 'part.stl', profile: [[0, 0], [0.1, 0], [0, 0.1]], vertices: [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], faces: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] };
const THIN = ['area', 'thickness', 'vertices']; // what says how much a thin shape weighs: a mass is simpler
const LIKELY = { at2: () => true, end: () => true, along: (kind) => ['slot', 'rack_and_pinion', 'knife_edge'].includes(kind) }; // not asked for by name, but needed by some joints

const axisFor = (kind, part) => (kind.keys.includes('axis') && !('axis' in part) ? { axis: 'z', ...(kind.keys.includes('axis2') && !('axis2' in part) ? { axis2: 'y' } : {}) } : {});

function shapeLike(model, shape, to) {
  const { keys, needed } = model.catalogue.shapes[to];
  const kept = Object.fromEntries(Object.entries(shape).filter(([key]) => keys.includes(key) || ['at', 'orientation', 'hole'].includes(key)));
  if (to === 'link' && !('radius' in kept)) kept.radius = 0.01;
  for (const key of needed) if (!(key in kept)) kept[key] = USUAL_SHAPE[key] ?? 0.1;
  if (to === 'plate' && kept.size.length !== 2) kept.size = kept.size.slice(0, 2);
  if (to === 'box' && kept.size.length !== 3) kept.size = [...kept.size, 0.1].slice(0, 3);
  const by = keys.includes('density') && !keys.some((key) => THIN.includes(key)) ? 'density' : 'mass';
  if (!('density' in kept) && !('mass' in kept)) kept[by] = USUAL_SHAPE[by];
  return { kind: to, ...kept };
}
