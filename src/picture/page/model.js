// What a picture means, without the page: what differs between two steps, and the story.

const sameEntry = (one, other) =>
  one !== undefined && other !== undefined && one.epoch === other.epoch && one.text === other.text;

/** What became of an entry: `new`, `gone`, `replaced`, or nothing. */
function entryChange(before, after) {
  if (sameEntry(before, after) || (!before && !after)) return '';
  if (!before) return 'new';
  return after ? 'replaced' : 'gone';
}

const inBraces = (names) => `{${names.map(shown).join(', ')}}`;

const inEpoch = (entry) => `${entry.text} of epoch ${entry.epoch}`;

/** Cut off from nodes that could hear it; a node that is down, or left alone, is not that. */
const isCutOff = (step, node) =>
  node.isolated && node.alive && step.nodes.some((other) => other !== node && other.alive);

/**
 * What differs between two steps, in words. A change says which nodes and offsets it touches, and
 * how much it weighs in a story.
 */
function changesBetween(before, after) {
  if (!before) return [];
  const changes = [];
  const say = (weight, text, nodes = [], from = 0, to = from, is = {}) =>
    changes.push({ weight, text, nodes, from, to, ...is });
  leaderChange(before, after, say);
  after.nodes.forEach((node, index) => nodeChange(before, before.nodes[index], after, node, say));
  logChanges(before, after, say);
  isrChange(before, after, say);
  watermarkChange(before, after, say);
  for (const offset of after.pending) {
    if (!before.pending.includes(offset))
      say(0, `the write at offset ${offset} waits`, [], offset, offset, { isWait: true });
  }
  return changes;
}

function leaderChange(before, after, say) {
  if (before.leader === after.leader && before.leader_epoch === after.leader_epoch) return;
  if (after.leader === null) say(4, 'nobody leads', [before.leader]);
  else say(4, `${shown(after.leader)} leads, epoch ${after.leader_epoch}`, [before.leader, after.leader]);
}

function nodeChange(before, old, step, node, say) {
  const [wasCutOff, cutOff] = [isCutOff(before, old), isCutOff(step, node)];
  const about = (weight, text) =>
    say(weight, `${shown(node.name)} ${text}`, [node.name], 0, 0, { isState: true });
  if (old.alive !== node.alive) about(2, node.alive ? 'is up again' : 'is down');
  else if (wasCutOff !== cutOff) about(1, cutOff ? 'is cut off' : 'is no longer cut off');
  if (old.slow !== node.slow) about(1, node.slow ? 'is slow' : 'is no longer slow');
  const isReplaced = node.name === before.leader && step.leader !== null;
  if (old.leads !== node.leads && node.name !== step.leader && !isReplaced) {
    about(2, node.leads ? 'believes that it leads' : 'no longer leads');
  }
  if (node.high_watermark < old.high_watermark) {
    const text = `${shown(node.name)}'s HW goes back from ${old.high_watermark} to ${node.high_watermark}`;
    say(5, text, [node.name], node.high_watermark + 1, old.high_watermark);
  } else if (step.high_watermark === null && node.high_watermark > old.high_watermark) {
    const text = `${shown(node.name)}'s HW goes from ${old.high_watermark} to ${node.high_watermark}`;
    say(3, text, [node.name], old.high_watermark + 1, node.high_watermark);
  }
  if (node.durable !== null && node.durable !== old.durable) {
    say(1, `${shown(node.name)} has ${node.durable} on disk`, [node.name], node.durable);
  }
  if (node.note !== old.note)
    say(1, `${shown(node.name)}: ${node.note === '' ? `no longer “${old.note}”` : node.note}`, [node.name]);
}

/** What happened to the logs; what happened alike to several nodes is said once. */
function logChanges(before, after, say) {
  const alike = new Map();
  after.nodes.forEach((node, index) => {
    for (const { change, from, to, told } of runsOf(before.nodes[index].log, node.log)) {
      if (!alike.has(told)) alike.set(told, { change, from, to, names: [] });
      alike.get(told).names.push(node.name);
    }
  });
  for (const [told, { change, from, to, names }] of alike) {
    const [verb, verbs] = VERBS[change];
    say(
      change === 'new' ? 1 : 4,
      `${inNames(names)} ${names.length > 1 ? verbs : verb} ${told}`,
      names,
      from,
      to,
      { isAppend: change === 'new' },
    );
  }
}

const VERBS = { new: ['gets', 'get'], gone: ['loses', 'lose'], replaced: ['has', 'have'] };

/** Runs of offsets to which the same happened. */
function runsOf(old, now) {
  const runs = [];
  const length = Math.max(old.length, now.length);
  for (let from = 1; from <= length; from += 1) {
    const change = entryChange(old[from - 1], now[from - 1]);
    if (change === '') continue;
    let to = from;
    while (to < length && entryChange(old[to], now[to]) === change) to += 1;
    const what = from === to ? `offset ${from}` : `offsets ${from} to ${to}`;
    const more = from === to ? '' : ', …';
    const entry = (log) => `${inEpoch(log[from - 1])}${more}`;
    const told =
      change === 'replaced'
        ? `${what} replaced: ${entry(old)} by ${entry(now)}`
        : `${what}: ${entry(change === 'new' ? now : old)}`;
    runs.push({ change, from, to, told });
    from = to;
  }
  return runs;
}

function isrChange(before, after, say) {
  const joined = after.isr.filter((name) => !before.isr.includes(name));
  const left = before.isr.filter((name) => !after.isr.includes(name));
  const moves = [
    joined.length > 0 && `${inNames(joined)} ${joined.length > 1 ? 'join' : 'joins'} the ISR`,
    left.length > 0 && `${inNames(left)} ${left.length > 1 ? 'leave' : 'leaves'} the ISR`,
  ].filter(Boolean);
  if (moves.length > 0) say(3, `${moves.join(', ')}: ${inBraces(after.isr)}`, [...joined, ...left]);
}

function inNames(names) {
  const all = names.map(shown);
  return all.length < 3 ? all.join(' and ') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function watermarkChange(before, after, say) {
  const [old, now] = [before.high_watermark, after.high_watermark];
  if (old === null || now === null || old === now) return;
  const [low, high] = [Math.min(old, now) + 1, Math.max(old, now)];
  const what = low === high ? `offset ${low} is` : `offsets ${low} to ${high} are`;
  if (now > old) say(4, `HW ${now}: ${what} committed`, [], low, high);
  else say(5, `HW goes back from ${old} to ${now}`, [], low, high);
}

/** What became of a message in an event, or undefined if the event is not an arrival. */
const arrivalIn = (picture, event) =>
  event.message === null
    ? undefined
    : picture.messages[event.message]?.arrivals.find(({ sequence }) => sequence === event.sequence);

/** Messages that did not do their work in a step, as changes. */
function failuresIn(picture, step) {
  const alike = new Map();
  for (const event of step.events) {
    const fate = arrivalIn(picture, event)?.fate;
    if (fate !== 'dropped' && fate !== 'rejected') continue;
    const { from, to, words } = picture.messages[event.message];
    const key = JSON.stringify([fate, words, from]);
    if (!alike.has(key)) alike.set(key, { fate, words, from, receivers: [] });
    alike.get(key).receivers.push(to);
  }
  return [...alike.values()].map(({ fate, words, from, receivers }) => {
    const offset = Number(/ offset (\d+)/.exec(words)?.[1] ?? 0);
    const names = [...new Set(receivers)];
    const to = inNames(names);
    const what = offset > 0 ? `offset ${offset}` : words;
    const text =
      fate === 'dropped'
        ? `${what} is lost on its way to ${to}`
        : `${to} ${names.length > 1 ? 'reject' : 'rejects'} ${what}`;
    return { weight: 2, text, nodes: [from, ...receivers], from: offset, to: offset };
  });
}

/** Whether the operation's own words and answer say it already. */
function isImplied(step, change) {
  const { op, node } = step.operation ?? {};
  if (change.isWait) return true;
  if (['write', 'submit'].includes(op)) {
    return change.isAppend && change.nodes.length === 1 && change.nodes[0] === step.leader;
  }
  return change.isState && change.nodes[0] === node;
}

/** Nothing happened in it. */
const isQuiet = (picture, index) =>
  index > 0 &&
  picture.steps[index].events.length === 0 &&
  changesBetween(picture.steps[index - 1], picture.steps[index]).length === 0;

const EFFECTS = 3;

/** The steps that led to a violation, with what each did; at most `limit` of them. */
function storyOf(picture, violation, limit) {
  const relevance = ({ weight, nodes, from, to }) =>
    weight +
    (nodes.some((name) => violation.nodes.includes(name)) ? 2 : 0) +
    (violation.offset !== null && from > 0 && from <= violation.offset && violation.offset <= to ? 4 : 0);
  const lines = [];
  for (let index = 1; index <= violation.step; index += 1) {
    const step = picture.steps[index];
    const all = [...changesBetween(picture.steps[index - 1], step), ...failuresIn(picture, step)];
    const changes = all
      .filter((change) => !isImplied(step, change))
      .map((change, order) => ({ text: change.text, score: relevance(change), order }))
      .sort((one, other) => other.score - one.score || one.order - other.order);
    const isNews = !['', 'done'].includes(step.answer) && !step.refused;
    const isLast = index === violation.step;
    const isMove = !step.refused && step.operation !== null && step.operation.op !== 'tick';
    if (changes.length === 0 && !isNews && !isMove && !isLast) continue;
    lines.push({
      index,
      step,
      isLast,
      effects: changes
        .slice(0, EFFECTS)
        .sort((one, other) => one.order - other.order)
        .map(({ text }) => text),
      left: Math.max(0, changes.length - EFFECTS),
      score: isLast ? Infinity : Math.max(0, ...all.map(relevance)),
    });
  }
  const best = [...lines].sort((one, other) => other.score - one.score || other.index - one.index);
  const kept = new Set(best.slice(0, limit));
  return { lines: lines.filter((line) => kept.has(line)), isWhole: lines.length <= limit };
}

/** A step's place, as the page says it everywhere. */
function stepName(picture, index) {
  const step = picture.steps[index];
  if (step.number !== null) return `Step ${index} of ${picture.steps.length - 1}`;
  return `Step ${index} of ${picture.steps.length - 1}, ${step.phase}`;
}
