// What all pages share: elements, numbers as texts, and the numbers that come with a page.

const TYPES = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array };

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// An element with properties and children; texts are never read as HTML.
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// What the page says of itself, and a function that finds an array of its packed numbers.
function unpacked() {
  const about = JSON.parse(document.getElementById('vincolo-data').textContent);
  const text = atob(document.getElementById('vincolo-numbers').textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return { about, array: arraysIn(bytes.buffer, 0) };
}

// A function that finds arrays in packed numbers, which begin at a byte of a buffer.
function arraysIn(buffer, start) {
  const known = new Map();
  return ([kind, first, count]) => {
    const key = `${kind} ${first} ${count}`;
    if (!known.has(key)) known.set(key, new TYPES[kind](buffer, start + first, count));
    return known.get(key);
  };
}

// 1, 2 or 5 times a power of ten, not below x.
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5, 10].find((f) => f * power >= x * (1 - 1e-9)) || 10);
}

// Six digits, short.
function shown(x) {
  if (x === undefined || x === null || Number.isNaN(x)) return '\u2013';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-3 ? x.toExponential(5) : x.toPrecision(6);
  return text.replaceAll('-', '\u2212').replace('e+', 'e');
}

const prettyUnit = (name) => name.replace('^2', '\u00b2');

function superscript(power) {
  const raised = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
  return String(power).replace('-', '\u207b').replace(/[0-9]/g, (d) => raised[d]);
}
