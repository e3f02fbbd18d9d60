// Dark or light: as the system has it, or as the user chose; the choice is remembered by the browser.

const LOOK = 'vincolo look'; // where it is remembered
const LOOKS = { light: 'dark', dark: 'light' }; // each with the other one
const DARKNESS = window.matchMedia('(prefers-color-scheme: dark)');

// What the user chose, or nothing. Pages within others, as in notebooks, may remember nothing.
function rememberedLook() {
  try { return window.localStorage.getItem(LOOK); } catch { return null; }
}

function rememberLook(look) {
  try { window.localStorage.setItem(LOOK, look); } catch { /* it holds for this page all the same */ }
}

class Look {
  // `changed` is called when colours are others.
  constructor(changed) {
    this.changed = changed;
    this.chosen = rememberedLook();
    this.button = document.getElementById('look');
    this.button.onclick = () => this.choose(LOOKS[this.name]);
    DARKNESS.addEventListener('change', () => this.put());
    window.addEventListener('storage', ({ key, newValue }) => { // another window has chosen
      if (key === LOOK) this.put(newValue);
    });
    this.put();
  }

  get name() { return this.chosen in LOOKS ? this.chosen : DARKNESS.matches ? 'dark' : 'light'; }

  get dark() { return this.name === 'dark'; }

  choose(name) {
    rememberLook(name);
    this.put(name);
  }

  put(chosen = this.chosen) {
    this.chosen = chosen;
    const root = document.documentElement;
    for (const name of Object.keys(LOOKS)) root.classList.toggle(name, this.chosen === name);
    this.button.textContent = this.dark ? '\u2600' : '\u263e';
    this.button.title = `${this.dark ? 'Light' : 'Dark'} colours (t)`;
    this.button.setAttribute('aria-label', this.button.title);
    this.read(root);
    this.changed();
  }

  // Colours as the style sheet has them now, for canvases.
  read(root) {
    const probe = make('i', { hidden: true });
    root.append(probe);
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    this.colours = Object.fromEntries(['ink', 'faint', 'edge', 'accent', 'paper'].map((name) => [name, read(name)]));
    this.paper = this.colours.paper.match(/[\d.]+/g).slice(0, 3).map((c) => Number(c) / 255);
    probe.remove();
  }
}
