// A page with a study that a program feeds: variants come as they are done, and open in the stage when they are chosen.

class LiveStudy extends Live {
  constructor(about) {
    super(about);
    this.view = null;
    $('waiting').textContent = 'Choose a dot or a line: the variant is run and shown here.';
    this.offer();
  }

  get acts() { return [...super.acts, 'study', 'rows', 'variant']; }

  offer() {
    const found = Object.assign(this.player ? offered(this.player) : {}, { live: this });
    Object.defineProperty(found, 'study', { get: () => this.view && this.view.offered });
    Object.defineProperty(window, 'vincolo', { configurable: true, value: found });
  }

  // All that is known, when the page opens or the line stands again.
  study(message, array) {
    if (this.view) this.view.fill(message, array);
    else this.view = new StudyView(message, array, (number) => this.link.send({ type: 'open', variant: number }));
  }

  // More variants are done.
  rows(message, array) { this.view.fill(message, array); }

  // What became of a variant that was chosen.
  variant({ number, text }) { if (this.view.chosen === number) this.view.say(text); }
}

new LiveStudy(unpacked().about);
