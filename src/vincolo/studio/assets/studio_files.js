// New, open, save: dialogs; files dropped upon the window.

class FileDialogs {
  constructor(studio) {
    this.studio = studio;
    $('new').onclick = () => this.begin();
    $('open').onclick = () => this.open();
    $('save').onclick = (event) => this.save(event.shiftKey);
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.drop(event.dataTransfer.files[0]);
    });
  }

  // A dialog with a heading; it goes when it is closed.
  dialog(title, ...children) {
    const box = make('dialog', {}, make('h2', { textContent: title }), ...children, make('div', { className: 'buttons' }, make('button', { textContent: 'Close', onclick: () => box.close() })));
    box.onclose = () => box.remove();
    box.onkeydown = (event) => event.stopPropagation();
    document.body.append(box);
    box.showModal();
    return box;
  }

  // Does something that would lose what is not saved, after a question.
  async careful(type, data) {
    const { model } = this.studio;
    try {
      return await model.ask(type, data);
    } catch (error) {
      if (!/not saved|such a file already|changed this file/.test(error.message)) throw error;
      if (!await this.sure(error.message, /not saved/.test(error.message) ? 'Go on' : 'Replace it')) return null;
      return model.ask(type, { ...data, force: true });
    }
  }

  sure(text, yes) {
    return new Promise((resolve) => {
      let answer = false;
      const box = this.dialog('Are you sure?', make('pre', { textContent: text }), make('button', { className: 'main', textContent: yes, onclick: () => {
        answer = true;
        box.close();
      } }));
      box.onclose = () => {
        box.remove();
        resolve(answer);
      };
    });
  }

  tell(promise) { return promise.catch((error) => tellFor(error.message, 12)); }

  // Templates and examples with pictures, and what broke off.
  async begin() {
    const { model } = this.studio, cards = make('div', { className: 'cards' }), sought = make('input', { type: 'search', placeholder: 'Find', ariaLabel: 'Find a template' });
    const box = this.dialog('Begin with', ...this.remains(() => box.close()), sought, cards);
    const { beginnings } = await model.ask('beginnings');
    const card = ({ name, title, about }) => {
      const picture = make('img', { className: 'picture', alt: '' });
      const button = make('button', { onclick: () => {
        box.close();
        this.tell(this.careful('new', { template: name }));
      } }, picture, make('b', { textContent: title }), make('small', { textContent: about }));
      button.dataset.name = name;
      return { button, picture, name, words: `${title} ${about}`.toLowerCase() };
    };
    const empty = make('button', { onclick: () => {
      box.close();
      this.tell(this.careful('new', {}));
    } }, make('div', { className: 'picture' }), make('b', { textContent: 'Empty' }), make('small', { textContent: 'Nothing but gravity.' }));
    empty.dataset.name = 'empty';
    const made = beginnings.map(card);
    cards.append(empty, ...made.map((c) => c.button));
    sought.oninput = () => made.forEach((c) => { c.button.hidden = !c.words.includes(sought.value.toLowerCase()); });
    for (const c of made) {
      if (!box.isConnected) return;
      const { picture } = await model.ask('picture', { name: c.name });
      if (picture) c.picture.src = picture;
    }
  }

  remains(close) {
    return (this.studio.remains || []).map(({ journal, path, count, when }) => make('div', { className: 'buttons' },
      make('span', { textContent: `${path}: ${count} actions that were not saved, ${new Date(1000 * when).toLocaleString()}` }),
      make('button', { textContent: 'Recover', onclick: () => {
        close();
        this.tell(this.careful('recover', { journal }));
      } }), make('button', { textContent: 'Forget', onclick: (event) => {
        event.target.parentNode.remove();
        this.tell(this.studio.model.ask('recover', { journal, forget: true }));
      } })));
  }

  open() { this.browse('Open a model', 'Open', '', (path) => this.careful('open', { path })); }

  async save(other = false) {
    const { model } = this.studio;
    if (model.said.path && !other) return this.tell(this.careful('save', {}).then((done) => done && tellFor(`Saved: ${done.path}`, 3)));
    const name = model.said.path || `${String(model.tree.name || 'model').replaceAll(/[^\w.-]+/g, '_')}.yaml`;
    return this.browse('Save as (.yaml, .xlsx, or no ending for a folder of cards)', 'Save', name.split(/[\\/]/).pop(), async (path) => {
      const done = await this.careful('save', { path });
      if (done) tellFor(`Saved: ${done.path}`, 3);
    });
  }

  // A folder to look at, and a name to type.
  browse(title, word, name, act) {
    const { model } = this.studio, listed = make('div', { className: 'listed' }), wrong = make('p', { className: 'trouble', hidden: true });
    const input = make('input', { type: 'text', value: name, id: 'path', ariaLabel: 'File' });
    let folder = model.said.folder;
    const done = async () => {
      const typedPath = input.value.trim();
      if (!typedPath) return;
      try {
        await act(/^([\\/~]|[A-Za-z]:)/.test(typedPath) ? typedPath : `${folder}/${typedPath}`);
        box.close();
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    };
    const go = async (to) => {
      try {
        const found = await model.ask('files', { folder: to });
        folder = found.folder;
        const row = (text, onclick) => make('button', { textContent: text, onclick, title: text });
        listed.replaceChildren(make('small', { textContent: found.folder }), row('\u2191 folder above', () => go(found.parent)), ...found.folders.map((f) => row(`\u{1F4C1} ${f}`, () => go(`${found.folder}/${f}`))),
          ...found.files.map((f) => row(f, () => {
            input.value = f;
            if (word === 'Open') done();
          })));
      } catch (error) {
        wrong.textContent = error.message;
        wrong.hidden = false;
      }
    };
    input.onkeydown = (event) => {
      if (event.key === 'Enter') done();
    };
    const box = this.dialog(title, input, listed, wrong, make('button', { className: 'main', textContent: word, onclick: done }));
    input.focus();
    input.select();
    go(folder);
  }

  drop(file) {
    const reader = new FileReader();
    reader.onload = () => this.tell(this.careful('dropped', { name: file.name, content: String(reader.result).split(',', 2)[1] || '' }));
    reader.readAsDataURL(file);
  }
}
