// The space-time diagram: lanes, what happens on them, and the messages between them.

const FONT = '11.5px system-ui, sans-serif';

/** Widths of the columns, for the room there is. */
function geometryOf(picture, room) {
  const isNarrow = room < 560;
  const hasTicks = picture.steps.some(({ tick }) => tick !== null);
  const words = isNarrow ? 100 : picture.nodes.length > 4 ? 156 : Math.min(200, Math.max(150, room * 0.26));
  const tick = !hasTicks ? 10 : isNarrow ? 24 : 34;
  const partition = isNarrow ? 58 : 84;
  const free = (room - words - tick - partition) / picture.nodes.length;
  const lane = Math.min(210, Math.max(isNarrow ? 69 : 80, free));
  const x = (node) => tick + node * lane + 22;
  const width = Math.max(tick + picture.nodes.length * lane + partition, room - words);
  return { words, tick, lane, partition, width, x, end: tick + picture.nodes.length * lane };
}

function drawDiagram(picture, rows, height, geometry) {
  const spans = spansOf(picture, rows, height);
  const yOf = heightsOf(picture, rows);
  const title = 'Space-time diagram of the run';
  const text =
    'One lane per node, time downwards. The same is told by the list of operations beside it and, for the ' +
    'chosen step, by the list of its events.';
  return svg(
    'svg',
    { width: geometry.width, height, role: 'img', 'aria-labelledby': 'drawing-title drawing-text' },
    svg('title', { id: 'drawing-title' }, title),
    svg('desc', { id: 'drawing-text' }, text),
    hatching(),
    svg('rect', { id: 'here', class: 'here', x: 0, width: geometry.width, y: 0, height: 0 }),
    svg(
      'g',
      { class: 'washes' },
      rows.filter(isViolating).map((row) => drawWash(row, geometry)),
    ),
    svg('g', { class: 'grid' }, gridOf(picture, rows, geometry)),
    svg(
      'g',
      { class: 'spans' },
      spans.map((span) => drawSpan(picture, span, geometry)),
    ),
    svg(
      'g',
      { class: 'messages' },
      picture.messages.map((message) => drawMessage(picture, message, yOf, height, geometry)),
    ),
    svg(
      'g',
      { class: 'events' },
      rows.filter(({ kind }) => kind === 'step').map((row) => drawEvents(picture, row, geometry)),
    ),
    svg(
      'g',
      { class: 'violations' },
      rows.filter(isViolating).map((row) => drawViolations(picture, row, geometry)),
    ),
  );
}

function hatching() {
  const lines = svg('path', { d: 'M-2,2 l4,-4 M0,8 l8,-8 M6,10 l4,-4', class: 'hatch-line' });
  const pattern = { id: 'hatch', width: 8, height: 8, patternUnits: 'userSpaceOnUse' };
  return svg('defs', {}, svg('pattern', pattern, lines));
}

function gridOf(picture, rows, { width, tick, end }) {
  let shown = null;
  return rows
    .flatMap((row) => {
      const line = svg('path', { class: 'boundary', d: `M0,${row.top + 0.5} H${width}` });
      if (row.kind === 'fold') return [line];
      const texts = [];
      const say = (now, y) => {
        if (now === null || now === shown) return;
        shown = now;
        texts.push(svg('text', { class: 'tick', x: tick - 8, y: y + 4 }, String(now)));
      };
      for (const { events, at, isHidden } of row.moments) if (!isHidden) say(events[0].tick, row.top + at);
      say(picture.steps[row.index].tick, row.top + (row.moments.at(-1)?.at ?? ROW.first));
      return [line, ...texts];
    })
    .concat(
      svg('path', { class: 'boundary', d: `M${end + 0.5},0 V${rows.at(-1).top + rows.at(-1).height}` }),
    );
}

function drawSpan(picture, { node, state, value, from, to, peer }, { x }) {
  const at = x(node);
  if (state === 'alive') {
    const line = svg('path', { class: value ? 'lane' : 'lane down', d: `M${at},${from} V${to}` });
    return value ? line : svg('g', {}, line, sideways('down', at, from, to));
  }
  if (!value || to <= from) return '';
  if (state === 'in_isr')
    return svg('rect', { class: 'isr', x: at - 8, width: 16, y: from, height: to - from });
  if (state === 'leads') {
    const star = svg('text', { class: 'star', x: at, y: Math.max(from, 12) + 6 }, '★');
    return svg('g', {}, svg('path', { class: 'leads', d: `M${at},${from} V${to}` }), star);
  }
  if (state === 'isolated' || state === 'cut') {
    const isCut = state === 'cut';
    return svg(
      'g',
      { class: 'cut' },
      svg('rect', { x: at - (isCut ? 14 : 13), width: isCut ? 6 : 26, y: from, height: to - from }),
      sideways(isCut ? `no way to ${shown(peer)}` : 'cut off', at, from, to),
    );
  }
  return svg(
    'g',
    {},
    svg('path', { class: 'slow', d: `M${at - 11},${from} V${to}` }),
    sideways('slow', at, from, to),
  );
}

/** A word along a lane, again and again, where there is room for it. */
function sideways(words, x, from, to) {
  const text = fit(words, 150, FONT);
  if (to - from < measure(text, FONT) + 8) return '';
  const labels = [];
  for (let y = from + measure(text, FONT) / 2 + 5; y < to; y += 420) {
    labels.push(svg('text', { class: 'sideways', transform: `translate(${x - 12} ${y}) rotate(-90)` }, text));
  }
  return svg('g', {}, labels);
}

/** From a sender's lane to a receiver's; what became of it is said by line and by end. */
function drawMessage(picture, message, yOf, height, { x }) {
  const [from, to] = [picture.nodes.indexOf(message.from), picture.nodes.indexOf(message.to)];
  if (from < 0 || to < 0 || from === to) return '';
  const start = yOf(message.sent);
  const sign = Math.sign(to - from);
  const [x1, x2] = [x(from) + sign * 4, x(to) - sign * 9];
  const arrow = (fate, end, why) => {
    if (start.isHidden && end.isHidden) return '';
    const isLostAtOnce = fate === 'dropped' && end.y - start.y < 8;
    const share = isLostAtOnce ? 34 / Math.abs(x2 - x1) : fate === 'dropped' ? 0.8 : 1;
    const [tipX, tipY] = [
      x1 + (x2 - x1) * share,
      isLostAtOnce ? start.y + 10 : start.y + (end.y - start.y) * (fate === 'dropped' ? 0.9 : 1),
    ];
    const words = `${shown(message.from)} to ${shown(message.to)}: ${message.words}. ${FATES[fate]}${why ? `: ${why}` : ''}`;
    const line = `M${x1},${start.y} L${tipX},${tipY}`;
    return svg(
      'g',
      { class: `message ${fate}` },
      svg('title', {}, words),
      svg('path', { class: 'reach', d: line }),
      svg('path', { class: 'line', d: line }),
      message.duplicated ? svg('path', { class: 'core', d: line }) : '',
      tip(fate, message.duplicated, tipX, tipY, Math.atan2(tipY - start.y, tipX - x1)),
    );
  };
  if (message.arrivals.length === 0) {
    const end = Math.min(height - 6, start.y + 60);
    return arrow('flying', { y: end, isHidden: start.isHidden }, '');
  }
  return svg(
    'g',
    {},
    message.arrivals.map(({ sequence, fate, why }) => arrow(fate, yOf(sequence), why)),
  );
}

const FATES = {
  delivered: 'Delivered',
  rejected: 'Rejected',
  dropped: 'Lost',
  flying: 'Still on its way at the end',
};

function tip(fate, isDuplicated, x, y, angle) {
  const place = `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`;
  const head = 'M4,0 L-6,-4.5 L-6,4.5 Z';
  const shape = {
    delivered: () =>
      svg('path', { class: 'head', d: isDuplicated ? `${head} M-3,0 L-13,-4.5 L-13,4.5 Z` : head }),
    rejected: () =>
      svg('path', { class: 'stop', d: 'M-6,0 a5,5 0 1 0 10,0 a5,5 0 1 0 -10,0 M-4.5,-3.5 L2.5,3.5' }),
    dropped: () => svg('path', { class: 'stop', d: 'M-5,-5 L5,5 M-5,5 L5,-5' }),
    flying: () => svg('path', { class: 'open', d: 'M-6,-5 L2,0 L-6,5' }),
  }[fate];
  return svg('g', { transform: place }, shape());
}

function drawEvents(picture, row, geometry) {
  const { x, lane, end, partition } = geometry;
  return row.moments
    .filter(({ isHidden }) => !isHidden)
    .map(({ events, at }) => {
      const y = row.top + at;
      const node = picture.nodes.indexOf(events[0].node);
      const left = node < 0 ? end + 6 : x(node) + 13;
      const room = node < 0 ? partition - 6 : lane - 22;
      const parts = [];
      if (node < 0 && events[0].kind === 'isr_high_watermark_advanced') {
        parts.push(svg('path', { class: 'watermark', d: `M${geometry.tick},${y} H${end}` }));
      }
      if (node >= 0) parts.push(dot(picture, row.index, node, events, x(node), y));
      const base = comesFromRight(picture, events) ? y + ROW.below + 1 : y;
      const entry = entryOf(picture, row.index, events);
      if (entry) parts.push(chip(picture, row.index, node, entry, left, base, room));
      const [long, brief = long] = labelsOf(picture, row.index, events);
      if (long !== '') {
        const [kind, font] = node < 0 ? ['label strong', `650 ${FONT}`] : ['label', FONT];
        const words = measure(long, font) <= room ? long : brief;
        parts.push(svg('text', { class: kind, x: left, y: base + 4 }, fit(words, room, font)));
      }
      const whole = events.map(({ words: all }) => all).join('; ');
      return svg('g', {}, svg('title', {}, whole), parts);
    });
}

/** Where it happens; a new leader has its star there, and a lost message its end elsewhere. */
function dot(picture, index, node, events, x, y) {
  const isNewLeader = picture.steps[index].nodes[node].leads && !picture.steps[index - 1]?.nodes[node].leads;
  const isElection = events.some(({ kind }) => kind === 'isr_controller_elected');
  const isLoss = events.every(({ kind }) => kind === 'message_dropped');
  if (isElection || isLoss || (isNewLeader && (index === 0 || isAtomic(picture)))) return '';
  return svg('circle', { class: 'dot', cx: x, cy: y, r: 3.2 });
}

/** An entry that a node appends, in the colour of its epoch. */
function chip(picture, index, node, { offset, epoch }, left, y, room) {
  const entry = [picture.steps[index], picture.steps[index - 1]]
    .map((step) => step?.nodes[node]?.log[offset - 1])
    .find((found) => found?.epoch === epoch);
  const choices = [entry && `${offset}: ${entry.text} · e${epoch}`, `${offset} · e${epoch}`].filter(Boolean);
  const isTraced = offset === picture.violations[0]?.offset;
  const font = isTraced ? `650 ${FONT}` : FONT;
  const text = choices.find((choice) => measure(choice, font) + 12 <= room) ?? choices.at(-1);
  const width = measure(text, font) + 12;
  return svg(
    'g',
    { class: `chip ${epochClass(epoch)}${isTraced ? ' traced' : ''}` },
    svg('rect', { x: left - 3, y: y - 9, width, height: 18, rx: 4 }),
    svg('text', { x: left + 3, y: y + 4 }, text),
  );
}

const isViolating = ({ violations }) => violations?.length > 0;

const drawWash = (row, { width }) =>
  svg('rect', {
    class: 'wash',
    x: 0,
    width,
    y: row.top + row.marks + 6,
    height: row.violations.length * ROW.mark + 20,
  });

/** Across all lanes, at the end of the step, with a mark at each node that it speaks of. */
function drawViolations(picture, row, { x, tick, width }) {
  const top = row.top + row.marks + 6;
  const main = picture.violations[0];
  const isMain = row.violations.includes(main);
  const line = top + row.violations.length * ROW.mark + 9;
  const involved = picture.nodes.map((name, node) =>
    row.violations.some(({ nodes }) => nodes.includes(name)) ? node : -1,
  );
  const room = width - tick - 20;
  return svg(
    'g',
    { class: isMain ? 'violation main' : 'violation', id: isMain ? 'violation-mark' : null },
    row.violations.map(({ kind, invariant, evidence }, place) => {
      const name = `✗ ${invariant}: ${kind.replaceAll('-', ' ')}`;
      const label = {
        class: place === 0 && isMain ? 'name first' : 'name',
        x: tick + 2,
        y: top + 16 + place * ROW.mark,
      };
      return svg('text', label, svg('title', {}, evidence), fit(name, room, `600 ${FONT}`));
    }),
    svg('path', { class: 'rule', d: `M0,${line} H${width}` }),
    involved
      .filter((node) => node >= 0)
      .map((node) =>
        svg(
          'g',
          { transform: `translate(${x(node)} ${line})` },
          svg('path', { class: 'diamond', d: 'M0,-9 L9,0 L0,9 L-9,0 Z' }),
          svg('text', { class: 'bang', y: 4 }, '!'),
        ),
      ),
  );
}
