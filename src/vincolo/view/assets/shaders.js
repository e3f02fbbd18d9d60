// The programs of the graphics card: lit shapes, wide lines, the grid.

// Every instance is a shape at its place: turned, stretched and tinted; the last of its tint is 1 for the chosen one.
const SOLID = `#version 300 es
uniform mat4 view; uniform vec4 ground; uniform bool flat_;
in vec3 corner, normal, place, size; in vec4 turn, tint; out vec3 at, facing; flat out vec4 hue;
vec3 turned(vec3 v) { vec3 t = 2.0 * cross(turn.yzw, v); return v + turn.x * t + cross(turn.yzw, t); }
void main() {
  at = place + turned(corner * size);
  if (flat_) at -= ground.xyz * (dot(at, ground.xyz) - ground.w);
  facing = turned(normal / size);
  hue = tint;
  gl_Position = view * vec4(at, 1.0);
}`;
// The light stands to the left above the eye; up brightens a little, as a sky does.
const LIT = `#version 300 es
precision highp float;
uniform vec3 light, back, eye, up; uniform float alpha, parallel, plain, dim;
in vec3 at, facing; flat in vec4 hue; out vec4 paint;
void main() {
  vec3 colour = dim * hue.rgb;
  float chosen = hue.a;
  if (plain > 0.5) { paint = vec4(colour, alpha); return; }
  vec3 n = normalize(facing), v = parallel > 0.5 ? back : normalize(eye - at);
  if (dot(n, v) < 0.0) n = -n;
  float key = max(dot(n, light), 0.0), sky = 0.5 + 0.5 * dot(n, up);
  float shine = pow(max(dot(n, normalize(light + v)), 0.0), 42.0);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 2.5);
  vec3 base = mix(colour, vec3(1.0, 0.66, 0.05), 0.55 * chosen);
  vec3 glow = chosen * (0.10 + 0.35 * rim) * vec3(1.0, 0.7, 0.2);
  vec3 lit = base * (0.40 + 0.16 * sky + 0.56 * key) + 0.22 * shine + glow;
  paint = vec4(lit, alpha);
}`;
// Every instance is a piece of a line; its six corners are found from their numbers.
const WIDE = `#version 300 es
uniform mat4 view; uniform vec2 pixels; uniform float width;
in vec3 from, to;
void main() {
  vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
  float near = 1e-4;
  if (a.w < near && b.w < near) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  if (a.w < near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 d = (b.xy / b.w - a.xy / a.w) * pixels;
  d = length(d) > 1e-6 ? normalize(d) : vec2(1.0, 0.0);
  bool end = gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4;
  float side = gl_VertexID == 0 || gl_VertexID == 1 || gl_VertexID == 3 ? -1.0 : 1.0;
  vec4 p = end ? b : a;
  vec2 shift = vec2(-d.y, d.x) * side * width + d * (end ? 0.4 : -0.4) * width;
  p.xy += shift / pixels * p.w;
  p.z -= 2e-4 * p.w;
  gl_Position = p;
}`;
const PLAIN = `#version 300 es
precision highp float;
uniform vec4 paint4; out vec4 paint;
void main() { paint = paint4; }`;
const FLOOR = `#version 300 es
uniform mat4 view; uniform vec3 middle, right, ahead; uniform float reach; out vec2 at;
void main() {
  vec2 c = vec2((gl_VertexID & 1) * 2 - 1, (gl_VertexID >> 1) * 2 - 1);
  at = c * reach;
  gl_Position = view * vec4(middle + right * at.x + ahead * at.y, 1.0);
}`;
const GRID = `#version 300 es
precision highp float;
uniform float step_, reach; uniform vec2 origin; uniform vec4 ink; in vec2 at; out vec4 paint;
float lines(vec2 p, float wide) {
  vec2 w = fwidth(p), d = abs(fract(p - 0.5) - 0.5) / w;
  float haze = clamp(1.2 - 3.0 * max(w.x, w.y), 0.0, 1.0);
  return haze * (1.0 - clamp(min(d.x, d.y) / wide, 0.0, 1.0));
}
void main() {
  vec2 p = (at + origin) / step_;
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at) / reach);
  paint = vec4(ink.rgb, ink.a * fade * max(0.5 * lines(p, 1.0), lines(p / 5.0, 1.4)));
}`;
