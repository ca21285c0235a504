// The logs after a step, side by side.

const isAt = (violation, name, offset) => violation.nodes.includes(name) && violation.offset === offset;

function drawLogs(picture, index) {
  const step = picture.steps[index];
  const before = picture.steps[index - 1] ?? step;
  const violations = picture.violations.filter((violation) => violation.step === index);
  const columns = Math.max(
    1,
    step.high_watermark ?? 0,
    ...[...step.nodes, ...before.nodes].map(({ log }) => log.length),
    ...step.nodes.map(({ high_watermark, durable }) => Math.max(high_watermark, durable ?? 0)),
    ...violations.map(({ offset }) => offset ?? 0),
  );
  const offsets = Array.from({ length: columns }, (_, place) => place + 1);
  const context = { picture, step, before, violations, offsets };
  const caption = `The logs after step ${index}, one row per node, one column per offset`;
  return html(
    'table',
    { class: step.high_watermark === 0 ? 'logs at-zero' : 'logs' },
    html('caption', { class: 'unseen' }, caption),
    html('thead', {}, commitRow(context), offsetRow(context)),
    html(
      'tbody',
      {},
      step.nodes.map((node, place) => nodeRow(context, node, before.nodes[place])),
    ),
  );
}

function commitRow({ step, before, offsets }) {
  const hw = step.high_watermark;
  if (hw === null)
    return html(
      'tr',
      {},
      html('th', { scope: 'col' }, 'Node'),
      html('th', { scope: 'colgroup', colspan: offsets.length }, 'Offsets'),
    );
  const rest = offsets.length - hw;
  const changed =
    before.high_watermark !== hw && html('span', { class: 'tag' }, `was ${before.high_watermark}`);
  const label = html('span', { class: 'hw-label' }, `HW ${hw}`, changed || '');
  return html(
    'tr',
    {},
    html('th', { scope: 'col' }, hw === 0 ? label : 'Node'),
    hw > 0 &&
      html(
        'th',
        { scope: 'colgroup', colspan: hw, class: 'committed hw-edge' },
        html('span', { class: 'spread' }, 'committed ', label),
      ),
    rest > 0 && html('th', { scope: 'colgroup', colspan: rest, class: 'uncommitted' }, 'not committed'),
  );
}

function offsetRow({ step, violations, offsets }) {
  return html(
    'tr',
    {},
    html('th', { scope: 'col', class: 'corner' }, 'offset →'),
    offsets.map((offset) => {
      const isViolated = violations.some((violation) => violation.offset === offset);
      const classes = [offset === step.high_watermark && 'hw-edge', isViolated && 'violated']
        .filter(Boolean)
        .join(' ');
      return html(
        'th',
        { scope: 'col', class: classes || null, 'data-offset': offset },
        isViolated ? '✗ ' : '',
        String(offset),
        step.pending.includes(offset)
          ? html('span', { class: 'tag', title: 'a write at this offset waits for its answer' }, '… waits')
          : '',
      );
    }),
  );
}

function nodeRow(context, node, old) {
  const isInvolved = context.violations.some(({ nodes }) => nodes.includes(node.name));
  const numbers = [`HW ${node.high_watermark}`, node.durable !== null && `disk ${node.durable}`]
    .filter(Boolean)
    .join(' · ');
  const header = html(
    'th',
    { scope: 'row', class: isInvolved ? 'involved' : null },
    html('span', { class: 'node', title: node.name }, isInvolved ? '✗ ' : '', named(node.name)),
    html('span', { class: 'badges' }, badgesOf(context, node, old)),
    html('span', { class: 'numbers' }, numbers),
    node.note !== '' ? html('span', { class: 'numbers' }, node.note) : '',
  );
  return html(
    'tr',
    { class: node.alive ? null : 'is-down' },
    header,
    context.offsets.map((offset) => entryCell(context, node, old, offset)),
  );
}

/** What a node is, and what it has just become or ceased to be. */
function badgesOf({ step, before }, node, old) {
  const badges = [
    ['★ leads', 'leader', node.leads, old.leads],
    ['ISR', 'isr', node.in_isr, old.in_isr],
    ['✖ down', 'bad', !node.alive, !old.alive],
    ['╳ cut off', 'bad', isCutOff(step, node), isCutOff(before, old)],
    ['slow', 'bad', node.slow, old.slow],
  ];
  return badges
    .filter(([, , now, then]) => now || then)
    .map(([text, kind, now, then]) => {
      if (now && then) return html('span', { class: `badge ${kind}` }, text);
      if (now) return html('span', { class: `badge ${kind} fresh` }, text, html('i', {}, ' new'));
      return html('del', { class: 'badge lost', title: 'no longer' }, text);
    });
}

function entryCell({ step, violations }, node, old, offset) {
  const [before, entry] = [old.log[offset - 1], node.log[offset - 1]];
  const change = entryChange(before, entry);
  const isViolating = violations.some((violation) => isAt(violation, node.name, offset));
  const classes = [
    'cell',
    entry && `entry ${epochClass(entry.epoch)}`,
    change,
    offset === step.high_watermark && 'hw-edge',
    isViolating && 'violating',
  ]
    .filter(Boolean)
    .join(' ');
  const marks = [
    node.high_watermark === offset &&
      html('span', { class: 'mark', title: 'this node has applied through here' }, '▲HW'),
    node.durable === offset &&
      html('span', { class: 'mark', title: 'a crash that loses keeps through here' }, '▣disk'),
  ].filter(Boolean);
  return html(
    'td',
    { class: classes },
    isViolating ? html('span', { class: 'flag' }, '✗ here') : '',
    change === 'gone' || change === 'replaced' ? ghost(before) : '',
    entry
      ? html('span', { class: 'text', title: entry.text }, entry.text === '' ? '(empty)' : entry.text)
      : '',
    html(
      'span',
      { class: 'under' },
      entry ? html('span', { class: 'epoch' }, `e${entry.epoch}`) : '',
      change === 'new' || change === 'replaced' ? html('span', { class: 'tag' }, 'new') : '',
      marks,
    ),
  );
}

const ghost = (entry) =>
  html(
    'del',
    { class: 'text', title: `removed in this step: ${inEpoch(entry)}` },
    `${entry.text} e${entry.epoch}`,
  );
