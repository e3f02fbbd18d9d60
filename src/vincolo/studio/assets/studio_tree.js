// The tree of the model: sections with their parts, found by a text, walked by keys.

class Tree {
  constructor(studio, host) {
    Object.assign(this, { studio, host, closed: new Set(), sought: '' });
    host.onkeydown = (event) => this.pressed(event);
    $('sought').oninput = () => {
      this.sought = $('sought').value.trim().toLowerCase();
      this.show();
    };
    $('sought').onkeydown = (event) => {
      if (event.key === 'Enter') this.items()[0]?.click();
      if (event.key === 'Escape') {
        $('sought').value = '';
        $('sought').oninput();
      }
    };
  }

  show() {
    const { model } = this.studio, { scrollTop } = this.host, rows = [];
    const focused = this.host.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    const tops = [['name', model.tree.name], ['gravity', model.tree.gravity], ['run', model.part(['run', 'until'])]];
    for (const [key, value] of tops) if (this.matches(key)) rows.push(this.item([key], key, typed(value)));
    for (const section of model.sections()) rows.push(...this.section(section));
    this.host.replaceChildren(...rows.filter(Boolean));
    this.host.scrollTop = scrollTop;
    if (focused) this.items().find((item) => item.dataset.place === focused)?.focus();
    if (!this.items().some((item) => item.tabIndex === 0) && this.items()[0]) this.items()[0].tabIndex = 0;
  }

  matches(name) { return !this.sought || name.toLowerCase().includes(this.sought); }

  section(section) {
    const { model } = this.studio, names = model.names(section).filter((name) => this.matches(name));
    if (!names.length) return [];
    const title = model.catalogue?.sections[section]?.title || section, shut = this.closed.has(section) && !this.sought;
    const head = make('h3', {}, make('button', { className: 'small', textContent: shut ? '\u25b8' : '\u25be', tabIndex: -1,
      title: shut ? 'Show' : 'Hide', onclick: () => this.toggle(section) }), make('span', { textContent: `${title} (${names.length})` }));
    return [head, ...(shut ? [] : names.flatMap((name) => [this.item([section, name], section, this.told(section, name)),
      ...(section === 'submodels' ? this.inner(name) : [])]))];
  }

  toggle(section) {
    if (!this.closed.delete(section)) this.closed.add(section);
    this.show();
  }

  // A few words about a part, behind its name.
  told(section, name) {
    const part = this.studio.model.tree[section][name];
    if (section === 'joints') return `${typed(part.a)} \u2013 ${typed(part.b)}`.replace('undefined', '');
    if (section === 'parameters' || section === 'points') return typed(part);
    if (section === 'frames') return typed(part.on);
    if (part && part.measure) return typed(part.measure);
    return part && part.use ? part.use : '';
  }

  // Parts of a sub-model, as the scene has them.
  inner(name) {
    const parts = this.studio.player ? this.studio.player.runs[0].parts : [];
    return parts.filter((part) => part.name.startsWith(`${name}.`)).slice(0, 200).map((part) => {
      const row = make('div', { className: 'item inner', title: 'Part of a sub-model' }, symbol(part.kind === 'body' ? 'mass' : 'joint'),
        make('span', { textContent: part.name }));
      row.onclick = () => this.studio.select([['submodels', name]]);
      return row;
    });
  }

  item(place, section, about) {
    const { model, selection } = this.studio, name = place[place.length - 1];
    const part = model.part(place), key = JSON.stringify(place);
    const chosen = selection.some((one) => JSON.stringify(one) === key);
    const problems = place[0] === 'gravity' ? [] : model.problemsAt(place);
    const row = make('div', { className: 'item', title: problems.map((p) => p.text).join('\n') || `${name}${about ? `: ${about}` : ''}`,
      tabIndex: chosen ? 0 : -1 },
    symbolOf(section, part), make('span', { textContent: name }), make('small', { textContent: about }));
    row.classList.toggle('wrong', problems.some((p) => p.grave));
    row.classList.toggle('warned', problems.length > 0);
    row.setAttribute('role', 'treeitem');
    row.setAttribute('aria-selected', String(chosen));
    row.dataset.place = key;
    row.onclick = (event) => {
      this.studio.select([place], event.shiftKey || event.ctrlKey || event.metaKey);
      this.items().find((item) => item.dataset.place === key)?.focus();
    };
    return row;
  }

  items() { return [...this.host.querySelectorAll('.item:not(.inner)')]; }

  pressed(event) {
    const items = this.items(), k = items.indexOf(document.activeElement);
    const to = { ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.ctrlKey || event.metaKey) return;
    if (to !== undefined && items[to]) {
      items[to].tabIndex = 0;
      items[to].focus();
      this.studio.select([JSON.parse(items[to].dataset.place)], event.shiftKey);
      this.items()[to]?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') $('properties').querySelector('input, select')?.focus();
    else if (event.key === 'F2') $('properties').querySelector('.title input')?.select();
    else if (event.altKey && (event.key === 'PageUp' || event.key === 'PageDown')) this.studio.shift(event.key === 'PageUp' ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
