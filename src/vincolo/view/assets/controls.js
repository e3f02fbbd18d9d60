// Controls that the program asks for, in the side panel: texts, buttons, choices, sliders, a bar of progress.

// What a control is made of; `say(value)` tells the program.
const CONTROLS = {
  text: {
    make: () => make('p', { className: 'about' }),
    show: (element, { text, warning }) => {
      if (element.textContent !== text) element.textContent = text;
      element.classList.toggle('warning', Boolean(warning));
    },
  },
  button: {
    make: ({ label, hint }, say) => make('button', { textContent: label, title: hint || '', onclick: () => say(true) }),
    show: (element, { label }) => { element.textContent = label; },
  },
  choice: {
    make: ({ label, options }, say) => {
      const list = make('select', {}, ...options.map((o) => make('option', { value: o, textContent: o })));
      list.onchange = () => say(list.value);
      return make('label', { className: 'choice' }, make('span', { textContent: label }), list);
    },
    show: (element, { value }) => { element.lastChild.value = value; },
  },
  slider: {
    make: ({ label, low, high, step }, say) => {
      const bar = make('input', { type: 'range', min: low, max: high, step });
      bar.oninput = () => {
        element.lastChild.textContent = bar.value;
        say(Number(bar.value));
      };
      const element = make('label', { className: 'scale' }, make('span', { textContent: label }), bar,
        make('span', { className: 'number' }));
      return element;
    },
    show: (element, { value }) => {
      if (document.activeElement === element.children[1]) return; // in the user's hand
      element.children[1].value = value;
      element.lastChild.textContent = value;
    },
  },
  progress: {
    make: () => make('progress', { max: 1 }),
    show: (element, { value }) => { element.value = value; },
  },
};

class Controls {
  constructor(host, link) {
    this.link = link;
    this.body = make('div', { className: 'controls' });
    this.element = make('details', { id: 'controls', open: true, hidden: true }, make('summary'), this.body);
    this.made = new Map();
    host.prepend(this.element);
  }

  // All controls anew: `title` and a list, each with a name and a kind.
  build({ title, controls }) {
    this.made.clear();
    this.element.firstChild.textContent = title;
    this.body.replaceChildren(...controls.map((control) => {
      const kind = CONTROLS[control.kind];
      const element = kind.make(control, (value) => this.link.send({ type: 'control', name: control.name, value }));
      this.made.set(control.name, { kind, element, control });
      this.change(control);
      return element;
    }));
    this.element.hidden = !controls.length;
  }

  // Other values of one control.
  change(values) {
    const found = this.made.get(values.name);
    if (!found) return;
    Object.assign(found.control, values);
    found.element.hidden = Boolean(found.control.hidden);
    found.kind.show(found.element, found.control);
  }
}
