// What is drawn in three dimensions, with WebGL 2: lit triangles, their edges, wide lines, a grid and shadows; and what
// lies under the pointer.

const CORNER = ['corner', 'normal'], INSTANCE = { place: 3, turn: 4, size: 3, tint: 4 }, NUMBERS = 14;
// Shapes that are small in the picture are drawn with fewer corners: up to so many pixels, so many cells each way.
const ROUGHER = [0.45, 1, 1.5]; // these pixels, on machines that have time, less of it, and little
const COARSE = [[9, 1], [14, 2], [30, 3], [50, 5], [80, 8]];
const CREASE = 46, WIRE_CREASE = 65; // degrees between faces that still look round; wires have few sides

class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.meshes = new Map();
    [this.coarse] = ROUGHER;
    this.begin();
  }

  begin() {
    const gl = this.canvas.getContext('webgl2', { antialias: false, stencil: true, alpha: false });
    this.gl = gl;
    this.meshes.clear();
    if (!gl || gl.isContextLost()) return;
    this.solid = this.program(SOLID, LIT);
    this.wide = this.program(WIDE, PLAIN);
    this.floor = this.program(FLOOR, GRID);
    this.picker = null;
    this.smoothing = new Smoothing(gl);
    this.instances = gl.createBuffer();
    this.lines = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lines);
    ['from', 'to'].forEach((name, k) => {
      const where = gl.getAttribLocation(this.wide.id, name);
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, 3, gl.FLOAT, false, 24, 12 * k);
      gl.vertexAttribDivisor(where, 1);
    });
    this.empty = gl.createVertexArray();
  }

  get usable() { return Boolean(this.gl) && !this.gl.isContextLost(); }

  program(vertex, fragment) {
    const gl = this.gl, id = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(id, shader);
    }
    [...CORNER, ...Object.keys(INSTANCE)].forEach((name, k) => gl.bindAttribLocation(id, k, name));
    gl.linkProgram(id);
    if (!gl.getProgramParameter(id, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(id));
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(id, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(id, k);
      at[name] = gl.getUniformLocation(id, name);
    }
    return { id, at };
  }

  // Buffers of a mesh, made when it is first drawn.
  uploaded(mesh) {
    if (this.meshes.has(mesh)) return this.meshes.get(mesh);
    const gl = this.gl, { corners, normals, faces, edges } = faceted(mesh, mesh.wire ? WIRE_CREASE : CREASE);
    const buffers = [], filled = (arrays, numbers) => {
      const vao = gl.createVertexArray();
      gl.bindVertexArray(vao);
      buffers.push(gl.createBuffer());
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[buffers.length - 1]);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      arrays.forEach((values, k) => {
        buffers.push(gl.createBuffer());
        gl.bindBuffer(gl.ARRAY_BUFFER, buffers[buffers.length - 1]);
        gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
        gl.enableVertexAttribArray(k);
        gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
      });
      this.placeInstances();
      return vao;
    };
    const made = { faces: filled([corners, normals], faces), count: faces.length, edges: filled([edges], Uint32Array.from({ length: edges.length / 3 }, (_, k) => k)),
      edgeCount: edges.length / 3, buffers };
    this.meshes.set(mesh, made);
    return made;
  }

  // Where instances of the mesh that is bound have their numbers.
  placeInstances() {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    Object.values(INSTANCE).reduce((first, count, k) => {
      const where = CORNER.length + k;
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, count, gl.FLOAT, false, 4 * NUMBERS, 4 * first);
      gl.vertexAttribDivisor(where, 1);
      return first + count;
    }, 0);
  }

  // Solids of one shape together, to be drawn at once.
  grouped(solids, camera) {
    const groups = new Map();
    for (const solid of solids) {
      const mesh = this.fitting(solid, camera);
      if (!groups.has(mesh)) groups.set(mesh, { mesh, mark: solid.mark, numbers: [], count: 0 });
      const group = groups.get(mesh);
      group.numbers.push(...solid.p, ...solid.q, ...(solid.size || [1, 1, 1]), ...solid.colour, solid.chosen ? 1 : 0);
      group.count += 1;
    }
    return [...groups.values()].map((group) => ({ ...group, numbers: new Float32Array(group.numbers) }));
  }

  // The mesh of a solid, or a coarser one if it is small in the picture.
  fitting({ mesh, p, size = [1, 1, 1] }, camera) {
    const depth = camera.parallel ? 0 : dot(sub(camera.eye, p), camera.back);
    const half = camera.parallel ? camera.half : Math.max(depth * Math.tan(OPENING / 2), 1e-12);
    const pixels = reachOf(mesh) * Math.max(...size) / half * this.canvas.height;
    const found = mesh.faces.length > 120 && COARSE.find(([most]) => pixels < most * this.coarse * this.ratio);
    return found ? coarser(mesh, found[1]) : mesh;
  }

  // Frees the buffers of all meshes but these.
  keep(used) {
    const gl = this.gl;
    for (const [mesh, made] of this.meshes) {
      if (used.has(mesh.of || mesh)) continue;
      this.meshes.delete(mesh);
      if (this.usable) [made.faces, made.edges].forEach((vao) => gl.deleteVertexArray(vao));
      if (this.usable) made.buffers.forEach((buffer) => gl.deleteBuffer(buffer));
    }
  }

  // A whole picture. `scene` has solids, ghosts, lines, floor and colours; `camera` the matrices.
  draw(scene, camera) {
    const gl = this.gl, rich = !scene.slow;
    this.fast = scene.slow > 1;
    this.coarse = ROUGHER[scene.slow || 0];
    this.fit();
    if (rich) this.smoothing.begin(this.canvas.width, this.canvas.height);
    else gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...scene.paper, 1);
    gl.clearStencil(0);
    gl.disable(gl.SCISSOR_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
    this.setSolid(camera);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    const groups = this.grouped(scene.solids, camera);
    this.drawSolids(groups, 1);
    if (rich) this.drawEdges(groups, scene.edge); // left out while a slow machine plays
    if (scene.floor) {
      if (rich) this.drawShadows(scene.floor, groups);
      this.drawFloor(scene.floor, camera);
    }
    if (scene.ghosts.length) this.drawGhosts(scene, camera);
    this.drawLines(scene.lines, camera);
    if (rich) this.smoothing.end();
  }

  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * (this.fast ? 0.7 : 1), box = this.canvas.getBoundingClientRect();
    const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.ratio = ratio;
  }

  setSolid(camera) {
    const gl = this.gl, { id, at } = this.solid;
    gl.useProgram(id);
    gl.uniformMatrix4fv(at.view, false, camera.matrix);
    gl.uniform3fv(at.eye, camera.eye);
    gl.uniform3fv(at.back, camera.back);
    gl.uniform3fv(at.up, camera.worldUp);
    gl.uniform3fv(at.light, unit(add(times(0.8, camera.back), add(times(-0.35, camera.right), times(0.5, camera.up)))));
    gl.uniform1f(at.parallel, camera.parallel ? 1 : 0);
    gl.uniform1i(at.flat_, 0);
    gl.uniform1f(at.plain, 0);
  }

  drawSolids(groups, alpha, { dim = 1, edges = false } = {}) {
    const gl = this.gl, { at } = this.solid;
    gl.uniform1f(at.alpha, alpha);
    gl.uniform1f(at.dim, dim);
    for (const { mesh, numbers, count } of groups) {
      const made = this.uploaded(mesh), corners = edges ? made.edgeCount : made.count;
      if (!corners) continue;
      gl.bindVertexArray(edges ? made.edges : made.faces);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STREAM_DRAW);
      gl.drawElementsInstanced(edges ? gl.LINES : gl.TRIANGLES, corners, gl.UNSIGNED_INT, 0, count);
    }
  }

  drawEdges(groups, strength) {
    const gl = this.gl, { at } = this.solid;
    gl.uniform1f(at.plain, 1);
    gl.depthMask(false);
    this.drawSolids(groups, strength, { dim: 0.35, edges: true });
    gl.depthMask(true);
    gl.uniform1f(at.plain, 0);
  }

  // Shapes pressed flat upon the floor; the stencil lets each pixel darken once.
  drawShadows(floor, groups) {
    const gl = this.gl, { at } = this.solid;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.uniform1i(at.flat_, 1);
    gl.uniform1f(at.plain, 1);
    gl.uniform4fv(at.ground, [...floor.up, floor.height]);
    this.drawSolids(groups.filter((group) => !group.mark), floor.shadow, { dim: 0 });
    gl.uniform1i(at.flat_, 0);
    gl.uniform1f(at.plain, 0);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
  }

  drawFloor(floor, camera) {
    const gl = this.gl, { id, at } = this.floor;
    gl.useProgram(id);
    gl.uniformMatrix4fv(at.view, false, camera.matrix);
    gl.uniform3fv(at.middle, floor.middle);
    gl.uniform3fv(at.right, floor.right);
    gl.uniform3fv(at.ahead, floor.ahead);
    gl.uniform2f(at.origin, ...floor.origin);
    gl.uniform1f(at.reach, floor.reach);
    gl.uniform1f(at.step_, floor.step);
    gl.uniform4fv(at.ink, floor.ink);
    gl.depthMask(false);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
  }

  // Depth first, then colour, so that a ghost does not shine through itself.
  drawGhosts({ ghosts }, camera) {
    const gl = this.gl, groups = this.grouped(ghosts, camera);
    this.setSolid(camera);
    gl.polygonOffset(3, 3); // where they coincide, the solid one is seen
    gl.colorMask(false, false, false, false);
    this.drawSolids(groups, 1);
    gl.colorMask(true, true, true, true);
    this.drawSolids(groups, 0.32);
  }

  // Each of `lines`: points (six numbers for a piece), colour with alpha, width in pixels, and how many pieces.
  drawLines(lines, camera) {
    const gl = this.gl, { id, at } = this.wide;
    gl.useProgram(id);
    gl.uniformMatrix4fv(at.view, false, camera.matrix);
    gl.uniform2f(at.pixels, this.canvas.width, this.canvas.height);
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lines);
    for (const line of lines) {
      gl.bufferData(gl.ARRAY_BUFFER, line.points, gl.DYNAMIC_DRAW);
      gl.uniform4fv(at.paint4, line.colour);
      gl.uniform1f(at.width, line.width * this.ratio);
      if (line.above) gl.disable(gl.DEPTH_TEST);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, 6, line.points.length / 6);
      gl.enable(gl.DEPTH_TEST);
    }
  }

  // The solid at or next to a pixel: every one is painted in a colour that tells its number, out of sight.
  pick(solids, camera, x, y) {
    const gl = this.gl, width = this.canvas.width, height = this.canvas.height, reach = Math.round(3 * this.ratio);
    this.preparePicker(width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picker.frame);
    gl.viewport(0, 0, width, height);
    const [column, row] = [x, y].map((pixel) => Math.round(pixel * this.ratio));
    const side = 2 * reach + 1, px = column - reach, py = height - row - reach;
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(px, py, side, side);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    this.setSolid(camera);
    gl.uniform1f(this.solid.at.plain, 1);
    const code = (n) => [n, n >> 8, n >> 16].map((part) => (part & 255) / 255);
    const painted = solids.map((s, k) => ({ ...s, colour: code(k + 1) }));
    this.drawSolids(this.grouped(painted, camera), 1);
    const seen = new Uint8Array(4 * side * side);
    gl.readPixels(px, py, side, side, gl.RGBA, gl.UNSIGNED_BYTE, seen);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return nearestNumber(seen, side) - 1;
  }

  preparePicker(width, height) {
    const gl = this.gl;
    if (this.picker && this.picker.width === width && this.picker.height === height) return;
    if (this.picker) forgetFrame(gl, this.picker);
    const wanted = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]];
    this.picker = { ...frameWith(gl, wanted, (kind) => gl.renderbufferStorage(gl.RENDERBUFFER, kind, width, height)), width, height };
  }
}

// The number painted nearest to the middle of a square of pixels, or 0.
function nearestNumber(seen, side) {
  const middle = (side - 1) / 2;
  let best = 0, nearest = Infinity;
  for (let k = 0; k < side * side; k++) {
    const number = seen[4 * k] + 256 * seen[4 * k + 1] + 65536 * seen[4 * k + 2];
    const away = Math.hypot((k % side) - middle, Math.floor(k / side) - middle);
    if (number && away < nearest) [best, nearest] = [number, away];
  }
  return best;
}
