// Fields of the panel: what is typed is looked at by the program while it is typed, and taken with Enter or on leaving.

const PAUSE = 250; // ms after the last key

class Field {
  // `look(text)` and `take(text)` are promises, broken with what is wrong; `more` are buttons behind the input.
  constructor(about, text, { look, take, list = [], choices = null, more = [] }) {
    Object.assign(this, { about, text, look, takes: take });
    const id = `field-${++Field.count}`;
    this.input = choices ? this.chooser(choices, text) : about.kind === 'nested' && text.length > 60
      ? make('textarea', { value: text, rows: 3 }) : make('input', { type: 'text', value: text, spellcheck: false, autocomplete: 'off' });
    this.input.id = id;
    this.input.title = about.help || '';
    if (list.length && !choices) this.input.setAttribute('list', listOf(list));
    this.wrong = make('p', { className: 'wrong', hidden: true });
    this.wrong.setAttribute('role', 'alert');
    const label = make('label', { textContent: (about.label || about.key).replaceAll('_', ' '), htmlFor: id, title: about.help || '' });
    this.element = make('div', { className: `field${about.needed ? ' needed' : ''}` }, label, this.input,
      make('span', { className: 'unit', title: about.unit || '' }, ...(about.unit ? [about.unit] : []), ...more), this.wrong);
    this.element.dataset.key = about.label || about.key;
    this.element.field = this;
    this.listen();
  }

  chooser(choices, text) {
    const known = choices.includes(text) || !text ? choices : [text, ...choices];
    const list = make('select', {}, ...(this.about.needed ? [] : [make('option', { value: '', textContent: '' })]),
      ...known.map((c) => make('option', { value: c, textContent: c })));
    list.value = text;
    return list;
  }

  listen() {
    const { input } = this;
    let waiting = 0;
    input.oninput = () => {
      clearTimeout(waiting);
      if (input.tagName !== 'SELECT') waiting = setTimeout(() => this.check(), PAUSE);
    };
    input.onchange = () => {
      clearTimeout(waiting);
      this.take();
    };
    input.onkeydown = (event) => {
      if (event.key === 'Enter' && input.tagName === 'INPUT') this.take();
      if (event.key === 'Escape') {
        input.value = this.text;
        this.say('');
        event.stopPropagation();
      }
      if (['ArrowUp', 'ArrowDown'].includes(event.key) && input.tagName === 'INPUT' && !input.getAttribute('list')) this.nudge(event);
    };
  }

  // Arrow keys change a plain number by a tenth of its leading digit, with shift by ten times as much.
  nudge(event) {
    const { input } = this, found = /^(-?[\d.]+(?:e-?\d+)?)(.*)$/i.exec(input.value.trim());
    if (!found || !Number.isFinite(Number(found[1]))) return;
    const number = Number(found[1]), size = 10 ** (Math.floor(Math.log10(Math.abs(number) || 1)) - 1);
    const step = (event.key === 'ArrowUp' ? 1 : -1) * size * (event.shiftKey ? 10 : 1);
    input.value = `${Number((number + step).toPrecision(12))}${found[2]}`;
    event.preventDefault();
    input.oninput();
  }

  // Another value from the program, while the user is in the field: what was typed stays.
  renew({ text, look, takes }) {
    Object.assign(this, { look, takes });
    if (this.input.value === this.text) this.input.value = text;
    this.text = text;
  }

  say(text) {
    this.wrong.textContent = text;
    this.wrong.hidden = !text;
    this.element.classList.toggle('bad', Boolean(text));
    this.input.setAttribute('aria-invalid', String(Boolean(text)));
  }

  async check() {
    const text = this.input.value;
    if (text === this.text) return this.say('');
    try {
      await this.look(text);
      if (text === this.input.value) this.say('');
    } catch (error) {
      if (text === this.input.value) this.say(error.message);
    }
    return undefined;
  }

  async take() {
    const text = this.input.value;
    if (text === this.text) return this.say('');
    const before = this.text;
    this.text = text; // not twice
    try {
      await this.takes(text);
      this.say('');
    } catch (error) {
      this.text = before;
      this.say(error.message);
    }
    return undefined;
  }
}
Field.count = 0;

// A list of suggestions, made once for each content.
function listOf(words) {
  const key = words.join('\u0000'), known = listOf.known.get(key);
  if (known) return known;
  const id = `list-${listOf.known.size}`;
  $('lists').append(make('datalist', { id }, ...words.slice(0, 300).map((value) => make('option', { value }))));
  listOf.known.set(key, id);
  return id;
}
listOf.known = new Map();
