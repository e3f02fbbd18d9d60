// Smooth edges: the picture is drawn with several samples for each pixel, out of sight, and put upon the canvas.
// The canvas itself has one sample, so that a machine that draws slowly can do without.

const SAMPLES = 4;

class Smoothing {
  constructor(gl) {
    this.gl = gl;
    this.samples = Math.min(SAMPLES, gl.getParameter(gl.MAX_SAMPLES));
  }

  // What is drawn from now on has several samples.
  begin(width, height) {
    if (!this.drawn || this.width !== width || this.height !== height) this.prepare(width, height);
    this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, this.drawn.frame);
  }

  // Puts the picture upon the canvas: samples are mixed first, which needs a frame of the same kind.
  end() {
    const { gl, width, height } = this;
    const copy = (from, to) => {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, from);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, to);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    };
    copy(this.drawn.frame, this.mixed.frame);
    copy(this.mixed.frame, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  prepare(width, height) {
    const { gl } = this;
    this.forget();
    Object.assign(this, { width, height });
    const store = (samples) => (kind) => gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, kind, width, height);
    this.drawn = frameWith(gl, [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT]], store(this.samples));
    this.mixed = frameWith(gl, [[gl.RGBA8, gl.COLOR_ATTACHMENT0]], store(0));
  }

  // Frees what it holds.
  forget() {
    for (const made of [this.drawn, this.mixed]) if (made) forgetFrame(this.gl, made);
    this.drawn = this.mixed = null;
  }
}

// A frame to draw in, out of sight, with buffers of some kinds; `store` gives the one that is bound its memory.
function frameWith(gl, kinds, store) {
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  const buffers = kinds.map(([kind, where]) => {
    const buffer = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
    store(kind);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, where, gl.RENDERBUFFER, buffer);
    return buffer;
  });
  return { frame, buffers };
}

function forgetFrame(gl, { frame, buffers }) {
  gl.deleteFramebuffer(frame);
  buffers.forEach((buffer) => gl.deleteRenderbuffer(buffer));
}
