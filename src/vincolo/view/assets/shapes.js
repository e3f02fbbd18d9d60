// Boxes, clouds and rays about shapes; triangles with normals.

function boxOf(vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((v, k) => {
    low[k % 3] = Math.min(low[k % 3], v);
    high[k % 3] = Math.max(high[k % 3], v);
  });
  return [low, high];
}

// Corners of what is seen, at some samples of a motion; parts that fly far away do not count.
function cloudOf(run) {
  const count = Math.min(12, run.t.length), found = [];
  for (let n = 0; n < count; n++) {
    const k = count > 1 ? Math.round(n * (run.t.length - 1) / (count - 1)) : 0, poses = run.poses({ k, s: 0 });
    for (const { box, body } of run.items) {
      for (let c = 0; c < 8; c++) {
        found.push(worldPoint(poses, [body, box[c & 1][0], box[(c >> 1) & 1][1], box[c >> 2][2]]));
      }
    }
  }
  if (!found.length) return [[0, 0, 0]];
  const reach = found.map((p) => length(sub(p, run.centre))), order = [...reach].sort((a, b) => a - b);
  const limit = Math.max(3 * run.size, order[Math.floor(0.8 * (order.length - 1))]);
  return found.filter((_, k) => reach[k] <= limit);
}

// Where a ray meets a shape first, in the world.
function meetingPoint({ mesh, p, q, size = [1, 1, 1] }, { from, along }) {
  const inside = (v) => turnedBack(q, v).map((x, k) => x / size[k]), start = inside(sub(from, p)), way = inside(along);
  const point = (k) => [mesh.vertices[3 * k], mesh.vertices[3 * k + 1], mesh.vertices[3 * k + 2]];
  let nearest = Infinity;
  for (let f = 0; f < mesh.faces.length; f += 3) {
    const corners = [0, 1, 2].map((j) => point(mesh.faces[f + j]));
    nearest = Math.min(nearest, rayMeets(start, way, ...corners));
  }
  return nearest < Infinity ? add(from, times(nearest, along)) : null;
}

// Half the diagonal of the box around a mesh.
function reachOf(mesh) {
  if (mesh.reach === undefined) {
    const [low, high] = boxOf(mesh.vertices);
    mesh.reach = length(sub(high, low)) / 2;
  }
  return mesh.reach;
}

// The same shape with the corners within each cell of its box drawn together into their middle.
function coarser(mesh, cells) {
  mesh.coarse = mesh.coarse || new Map();
  if (!mesh.coarse.has(cells)) mesh.coarse.set(cells, clustered(mesh, cells));
  return mesh.coarse.get(cells);
}

function clustered(mesh, cells) {
  const { vertices, faces, wire } = mesh, [low, high] = boxOf(vertices), sums = [], numbers = new Map();
  const cell = (k, i) => Math.round(cells * (vertices[3 * k + i] - low[i]) / (high[i] - low[i] || 1));
  const numberOf = Array.from({ length: vertices.length / 3 }, (_, k) => {
    const key = `${cell(k, 0)},${cell(k, 1)},${cell(k, 2)}`;
    if (!numbers.has(key)) numbers.set(key, sums.push([0, 0, 0, 0]) - 1);
    const sum = sums[numbers.get(key)];
    [0, 1, 2].forEach((i) => { sum[i] += vertices[3 * k + i]; });
    sum[3] += 1;
    return numbers.get(key);
  });
  const kept = [], seen = new Set();
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [0, 1, 2].map((j) => numberOf[faces[f + j]]), key = [a, b, c].sort((x, y) => x - y).join();
    if (a === b || b === c || c === a || seen.has(key)) continue;
    seen.add(key);
    kept.push(a, b, c);
  }
  const points = sums.flatMap(([x, y, z, n]) => [x / n, y / n, z / n]);
  return { vertices: new Float32Array(points), faces: new Uint32Array(kept), wire, of: mesh };
}

// The number of the first vertex at the same place, for every vertex.
function weldedNumbers(vertices) {
  const same = new Map(), welded = new Uint32Array(vertices.length / 3);
  for (let k = 0; k < welded.length; k++) {
    const key = `${vertices[3 * k]},${vertices[3 * k + 1]},${vertices[3 * k + 2]}`;
    if (!same.has(key)) same.set(key, k);
    welded[k] = same.get(key);
  }
  return welded;
}

// Corners with normals that are smooth over round surfaces and broken at edges sharper than `degrees`; their numbers, three
// for each triangle; and these edges.
function faceted({ vertices, faces }, degrees) {
  const limit = Math.cos(degrees * Math.PI / 180), welded = weldedNumbers(vertices);
  const point = (k) => [vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]];
  const triangles = [], around = new Map(), sides = new Map();
  for (let f = 0; f < faces.length; f += 3) {
    const corners = [welded[faces[f]], welded[faces[f + 1]], welded[faces[f + 2]]], [a, b, c] = corners.map(point);
    const area = cross(sub(b, a), sub(c, a));
    if (!(length(area) > 0)) continue;
    const triangle = { corners, area, normal: unit(area) };
    triangles.push(triangle);
    corners.forEach((k, j) => {
      if (!around.has(k)) around.set(k, []);
      around.get(k).push(triangle);
      const next = corners[(j + 1) % 3], key = k < next ? `${k},${next}` : `${next},${k}`;
      if (!sides.has(key)) sides.set(key, { ends: [k, next], on: [] });
      sides.get(key).on.push(triangle);
    });
  }
  const corners = [], normals = [], numbers = new Map(), edges = []; // a corner counts once for each of its normals
  const faceNumbers = triangles.flatMap((triangle) => triangle.corners.map((k) => {
    let sum = [0, 0, 0];
    for (const other of around.get(k)) if (dot(triangle.normal, other.normal) > limit) sum = add(sum, other.area);
    const normal = unit(sum), key = `${k} ${normal.map((x) => Math.round(1e4 * x))}`;
    if (!numbers.has(key)) {
      numbers.set(key, numbers.size);
      corners.push(...point(k));
      normals.push(...normal);
    }
    return numbers.get(key);
  }));
  for (const { ends, on } of sides.values()) {
    if (on.length !== 2 || dot(on[0].normal, on[1].normal) <= limit) edges.push(point(ends[0]), point(ends[1]));
  }
  return { corners: new Float32Array(corners), normals: new Float32Array(normals), faces: new Uint32Array(faceNumbers), edges: new Float32Array(edges.flat()) };
}

// A shape turned about z from points (radius, z), for arrows.
function lathe(profile, sides = 20) {
  const vertices = [], faces = [], n = profile.length;
  for (const [r, z] of profile) {
    for (let k = 0; k < sides; k++) {
      const angle = 2 * Math.PI * k / sides;
      vertices.push(r * Math.cos(angle), r * Math.sin(angle), z);
    }
  }
  for (let i = 0; i + 1 < n; i++) {
    for (let k = 0; k < sides; k++) {
      const a = i * sides + k, b = i * sides + (k + 1) % sides;
      faces.push(a, b, b + sides, a, b + sides, a + sides);
    }
  }
  return { vertices: new Float32Array(vertices), faces: new Uint16Array(faces) };
}
