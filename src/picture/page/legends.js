// What the symbols mean: only those that occur in the picture.

function drawLegends(picture) {
  const nodes = picture.steps.flatMap((step) => step.nodes);
  const fates = new Set(picture.messages.flatMap(({ arrivals }) => arrivals.map(({ fate }) => fate)));
  const isCut = picture.steps.some(
    (step) => lonelyCuts(step).length > 0 || step.nodes.some((node) => isCutOff(step, node)),
  );
  const line = (fate, isDuplicated) =>
    svg(
      'g',
      { class: `message ${fate}` },
      svg('path', { class: 'line', d: 'M2,8 H30' }),
      isDuplicated ? svg('path', { class: 'core', d: 'M2,8 H30' }) : '',
      tip(fate, isDuplicated, 32, 8, 0),
    );
  const lane = svg('path', { class: 'lane', d: 'M20,0 V16' });
  show('diagram-legend', [
    [
      true,
      'leads',
      svg(
        'g',
        {},
        svg('path', { class: 'leads', d: 'M20,6 V16' }),
        svg('text', { class: 'star', x: 20, y: 13 }, '★'),
      ),
    ],
    [
      true,
      'in the ISR',
      svg('g', {}, svg('rect', { class: 'isr', x: 12, y: 0, width: 16, height: 16 }), lane.cloneNode()),
    ],
    [nodes.some(({ alive }) => !alive), 'down', svg('path', { class: 'lane down', d: 'M20,0 V16' })],
    [
      isCut,
      'cut off, or a link is cut',
      svg('g', { class: 'cut' }, svg('rect', { x: 7, y: 0, width: 26, height: 16 }), lane.cloneNode()),
    ],
    [fates.has('delivered'), 'delivered', line('delivered')],
    [fates.has('rejected'), 'rejected', line('rejected')],
    [fates.has('dropped'), 'lost', line('dropped')],
    [picture.messages.some(({ arrivals }) => arrivals.length === 0), 'on its way at the end', line('flying')],
    [picture.messages.some(({ duplicated }) => duplicated), 'duplicated', line('delivered', true)],
    [
      picture.violations[0]?.offset > 0,
      `offset ${picture.violations[0]?.offset}, which the evidence speaks of`,
      svg('g', { class: 'chip traced epoch-1' }, svg('rect', { x: 4, y: 1, width: 32, height: 14, rx: 4 })),
    ],
    [
      picture.violations.length > 0,
      'violation',
      svg(
        'g',
        { class: 'violation main' },
        svg('path', { class: 'diamond', d: 'M20,0 L28,8 L20,16 L12,8 Z' }),
      ),
    ],
  ]);
  const entry = (kind, ...text) => html('span', { class: `sample ${kind}` }, ...text);
  show('logs-legend', [
    [true, 'an entry of epoch 1', entry('entry epoch-1', 'e1')],
    [picture.steps[0].high_watermark !== null, 'committed up to here', entry('hw-sample', 'HW')],
    [true, 'applied through here', entry('mark', '▲HW')],
    [nodes.some(({ durable }) => durable !== null), 'kept by a lossy crash', entry('mark', '▣disk')],
    [true, 'removed in this step', html('del', { class: 'sample' }, 'k=v')],
  ]);
}

function show(id, items) {
  byId(id).replaceChildren(
    ...items
      .filter(([isUsed]) => isUsed)
      .map(([, words, sample]) => {
        const isDrawing = sample.namespaceURI.endsWith('svg');
        const symbol = isDrawing
          ? svg('svg', { width: 40, height: 16, 'aria-hidden': 'true' }, sample)
          : sample;
        return html('li', {}, symbol, ' ', words);
      }),
  );
}
