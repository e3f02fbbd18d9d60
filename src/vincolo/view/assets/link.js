// The line to the program: messages in both ways. Texts are JSON; frames of bytes are JSON followed by packed numbers.

const AGAIN = [500, 1000, 2000, 5000]; // ms until the line is tried again

class Link {
  // `heard` has a function for each type of message, called with the message and what finds its arrays; `changed` is
  // told whether the line stands.
  constructor(heard, changed = () => {}) {
    Object.assign(this, { heard, changed, tries: 0, open: false });
    this.connect();
  }

  connect() {
    const address = new URL(window.location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    this.socket = new WebSocket(address.href);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => {
      this.tries = 0;
      this.open = true;
      this.changed(true);
    };
    this.socket.onmessage = ({ data }) => this.hear(data);
    this.socket.onclose = () => {
      this.open = false;
      this.changed(false);
      setTimeout(() => this.connect(), AGAIN[Math.min(this.tries++, AGAIN.length - 1)]);
    };
  }

  hear(data) {
    const { message, array } = typeof data === 'string' ? { message: JSON.parse(data) } : frameOf(data);
    const act = this.heard[message.type];
    if (act) act(message, array);
  }

  // Says something; false if the line is broken.
  send(message) {
    if (!this.open) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}

// A frame of bytes: the length of the text, the text, zeros to a multiple of 8, numbers.
function frameOf(buffer) {
  const size = new DataView(buffer).getUint32(0, true), start = 8 * Math.ceil((4 + size) / 8);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, size));
  return { message: JSON.parse(text), array: arraysIn(buffer, start) };
}
