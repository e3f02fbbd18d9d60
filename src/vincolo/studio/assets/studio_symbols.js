// Small pictures of parts: strokes on a field of 24 by 24.

const SYMBOLS = {
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8', cylinder: 'M5 6c0-4 14-4 14 0v12c0 4-14 4-14 0zM5 6c0 4 14 4 14 0',
  sphere: 'M12 3a9 9 0 1 0 .01 0M3 12c4 4 14 4 18 0', rod: 'M4 20L20 4M3 18l3 3M18 3l3 3', tube: 'M5 6c0-4 14-4 14 0v12c0 4-14 4-14 0zM9 6c0-1.5 6-1.5 6 0s-6 1.5-6 0',
  plate: 'M3 15l7-7h11l-7 7zM3 15v2h11v-2M14 17l7-7V8', cone: 'M12 3L4 18c0 4 16 4 16 0zM4 18c2-2.5 14-2.5 16 0', frustum: 'M8 5L4 18c0 4 16 4 16 0L16 5c0-2-8-2-8 0s8 2 8 0',
  ellipsoid: 'M12 6c12 0 12 12 0 12S0 6 12 6zM3 12c4 2.5 14 2.5 18 0', point_mass: 'M12 8a4 4 0 1 0 .01 0M12 12v.01M4 12h2M18 12h2M12 4v2M12 18v2',
  extrusion: 'M4 16l4-4h3l2-4h4l3 4-4 4zM4 16v3h12v-3M16 19l4-4v-3', polyhedron: 'M12 3l8 7-3 10H7L4 10zM12 3l-2 9 10-2M10 12L7 20M10 12l7 8M10 12L4 10',
  mesh: 'M12 3l8 5v8l-8 5-8-5V8zM12 3v18M4 8l16 8M20 8L4 16', mass: 'M6 9h12l2 11H4zM9 9a3 3 0 1 1 6 0', link: 'M5 14a3 3 0 1 0 .01 0M19 4a3 3 0 1 0 .01 0M2.500 15.500L15.500 5.500M8 19l13-10',
  frames: 'M6 18V5M6 18h13M6 18l7-7M4 7l2-2 2 2M17 16l2 2-2 2M10.5 11H13v2.500', points: 'M12 9a3 3 0 1 0 .01 0M12 3v3M12 18v3M3 12h3M18 12h3', parameters: 'M5 7h14M5 12h14M5 17h14M9 5v4M15 10v4M8 15v4',
  revolute: 'M12 8a4 4 0 1 0 .01 0M2 20l7-5M15 9l7-5M12 12v.01', cylindrical: 'M3 9h18v6H3zM1 12h2M21 12h2M9 5a4 3 0 0 1 6 0M15 5l.5-2M15 5l-2-.5',
  prismatic: 'M2 9h20M2 15h20M7 10.500h10v3H7zM9 19h6M13 17l2 2-2 2', spherical: 'M12 7a5 5 0 1 0 .01 0M6 16a7.500 7.500 0 0 1 0-8M17 9l5-4M2 19l4-4', universal: 'M12 6v12M6 12h12M6 9v6M18 9v6M9 6h6M9 18h6',
  planar: 'M3 17l5-8h13l-5 8zM10 11l4-4M12 7h2v2M12 13v.01', fixed: 'M5 5h14v14H5zM5 10l5-5M5 15L15 5M5 19L19 5M10 19l9-9M15 19l4-4', guide: 'M3 9h18M3 15h18M12 10a2 2 0 1 0 .01 0',
  point_on_plane: 'M3 18l5-6h13l-5 6zM12 6a3 3 0 1 0 .01 0M12 12v3', parallel: 'M8 3v18M16 3v18M6 6l2-3 2 3M14 6l2-3 2 3', perpendicular: 'M6 3v15h15M6 14h4v4', orientation: 'M12 12V4M12 12l7 4M12 12l-7 4M10.500 6L12 4l1.500 2',
  distance: 'M5 17a2 2 0 1 0 .01 0M19 3a2 2 0 1 0 .01 0M6.500 17.500l11-11', screw: 'M8 3h8M9 6l6 2M9 10l6 2M9 14l6 2M12 3v18', gear: 'M9 9a4 4 0 1 0 .01 0M18 10.500a2.500 2.500 0 1 0 .01 0M9 5v2M9 19v2M2 13h2M4 8l1.500 1.500M4 18l1.500-1.500M14 8l-1 1.500',
  belt: 'M7 8a4 4 0 0 0 0 8l11-1a3 3 0 0 0 0-6zM7 12v.01M18 12v.01', rack: 'M9 3a5 5 0 1 0 .01 0M2 19h20M3 19l1.500-3h2L8 19M9 19l1.500-3h2L14 19M15 19l1.500-3h2L20 19', cam: 'M9 6c5 0 8 3 8 6s-4 5-8 5-6-3-6-6 2-5 6-5M20 4v9M18 13h4',
  rolling: 'M12 3a7.500 7.500 0 1 0 .01 0M2 19h20M12 10.500l4-4', elbow: 'M3 18h9l7-12M12 15a3 3 0 1 0 .01 0', knife_edge: 'M4 19h16M12 4v13M9 8l3-4 3 4', joint: 'M12 8a4 4 0 1 0 .01 0M2 12h6M16 12h6',
  drives: 'M12 5a7 7 0 1 1-7 7M5 12l-2.500-2M5 12l2.500-2M12 12v.01', holds: 'M7 11V8a5 5 0 0 1 10 0v3M5 11h14v9H5z', springs: 'M2 12h3l1.500-4 3 8 3-8 3 8 3-8 1.500 4H22', laws: 'M4 19V5M4 19h16M6 17c6 0 6-10 13-10', actuators: 'M3 9h9v6H3zM12 12h9M18 9l3 3-3 3',
  rotors: 'M12 4a8 8 0 1 0 .01 0M12 9.500a2.500 2.500 0 1 0 .01 0M12 4v5M5 16l4.500-2.500M19 16l-4.500-2.500', loads: 'M4 20L18 6M11 6h7v7', torque: 'M6 17a8 8 0 1 1 12 0M18 17l.5-4M18 17l-4-.5', stops: 'M18 4v16M18 8l3-2M18 12l3-2M18 16l3-2M3 12h11M11 9l3 3-3 3', frictions: 'M3 18h18M6 11h9v7H6zM15 8h6M18 6l3 2-3 2',
  contacts: 'M9 5a6 6 0 1 0 .01 0M2 19h20M15 17l3-3M18 19l3-3', measures: 'M3 8h18v7H3zM7 8v3M11 8v4M15 8v3M19 8v4', inputs: 'M3 12h11M10 8l4 4-4 4M17 4v16', variables: 'M5 6c6 0 8 12 14 12M5 18c6 0 8-12 14-12', states: 'M4 12a8 8 0 1 1 16 0M8 16c1-8 7-8 8 0', events: 'M13 2L5 13h6l-1 9 8-12h-6z',
  outputs: 'M4 4v16M7 12h13M16 8l4 4-4 4', ranges: 'M4 6v12M20 6v12M4 12h16M7 9l-3 3 3 3M17 9l3 3-3 3', submodels: 'M3 5h8v6H3zM13 13h8v6h-8zM7 11v5h6', run: 'M7 4l12 8-12 8z', gravity: 'M12 3v15M7 13l5 5 5-5M4 21h16', tolerances: 'M4 12h16M8 6v12M16 6v12M4 6h4M16 6h4',
  looks: 'M2 12c5-8 15-8 20 0-5 8-15 8-20 0M12 9a3 3 0 1 0 .01 0', study: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6', suspensions: 'M4 8l8 2M4 16l8 1M12 6v14M12 13h5M17 7v12a3 3 0 0 0 4 0V7a3 3 0 0 0-4 0', switches: 'M3 16h6l9-7M18 16h3M9 16v.01', name: 'M4 5h16M12 5v15',
};
const ALIKE = { slot: 'guide', rack_and_pinion: 'rack', bevel_gear: 'gear', worm: 'screw', flat_cam: 'cam', point_on_curve: 'cam', spherical_revolute: 'elbow',
  rolling_disc: 'rolling', rolling_ball: 'rolling', bodies: 'box', joints: 'joint', limits: 'ranges', vehicles: 'suspensions', tyres: 'rolling', load_cases: 'loads', force: 'loads' };

function symbol(name) {
  const found = SYMBOLS[name] || SYMBOLS[ALIKE[name]] || SYMBOLS.joint;
  const svg = drawnIn('svg', { class: 'symbol', viewBox: '0 0 24 24', 'aria-hidden': 'true' });
  svg.append(drawnIn('path', { d: found }));
  return svg;
}

// An element of SVG.
function drawnIn(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// The symbol of a part: of a joint its kind, of a body its shape.
function symbolOf(section, part) {
  if (section === 'joints' && part) return symbol(part.kind);
  if (section === 'bodies' && part && part.shape && part.shape.kind) return symbol(part.shape.kind);
  if (section === 'bodies') return symbol('link');
  if (section === 'loads' && part && part.kind === 'torque') return symbol('torque');
  return symbol(section);
}
