// The rows of the diagram: which steps and events are shown, and how far down.

const ROW = { first: 17, event: 22, below: 7, sends: 15, last: 11, fold: 30, mark: 22, least: 46 };
const LONGEST_STEP = 26;
const ENDS_OF_LONG_STEP = 9;
const LEAST_QUIET = 3;

const LINKS = ['partition_added', 'partition_healed'];
const WITH_LINKS = ['isr_node_crashed', 'isr_node_restarted', 'isr_node_isolated', 'isr_node_healed'];
const EFFECTS_OF_DELIVERY = [
  'isr_entry_appended',
  'isr_append_rejected',
  'isr_incremental_catchup_started',
  'isr_full_catchup_started',
];

/** Events that are one thing to the eye share a height: a broadcast, a delivery and its effect. */
function momentsOf(picture, events) {
  const moments = [];
  for (const event of events) {
    const moment = moments.at(-1);
    if (moment && belongs(picture, moment, event)) moment.push(event);
    else moments.push([event]);
  }
  return moments;
}

function belongs(picture, moment, event) {
  const last = moment.at(-1);
  const atSameNode = last.node === event.node;
  const isSend = ({ kind }) => kind === 'message_sent';
  const isLoss = ({ kind }) => kind === 'message_dropped';
  if (isSend(event)) {
    const { to } = picture.messages[event.message];
    return (
      atSameNode &&
      moment.every((other) => isSend(other) || isLoss(other)) &&
      moment.every((other) => picture.messages[other.message].to !== to)
    );
  }
  if (isLoss(event)) {
    const isOfMoment = moment.some((other) => isSend(other) && other.message === event.message);
    return isOfMoment || (isLoss(last) && !moment.some(isSend));
  }
  if (EFFECTS_OF_DELIVERY.includes(event.kind)) return atSameNode && last.kind === 'message_delivered';
  if (LINKS.includes(event.kind)) return atSameNode && last.kind === event.kind;
  return WITH_LINKS.includes(event.kind) && atSameNode && LINKS.includes(last.kind);
}

/** Stretches of steps that are folded unless they are opened: `[from, to, words]`. */
function foldsOf(picture) {
  const folds = [];
  const violated = picture.violations[0]?.step;
  const last = picture.steps.length - 1;
  const end = violated ?? last;
  for (let from = 0; from <= end; from += 1) {
    let to = from;
    while (to < end && to !== violated && isQuiet(picture, to)) to += 1;
    if (to - from >= LEAST_QUIET) folds.push({ from, to: to - 1, words: plural(to - from, 'quiet step') });
    from = Math.max(from, to - 1);
  }
  if (violated !== undefined && violated < last) {
    folds.push({
      from: violated + 1,
      to: last,
      words: `${plural(last - violated, 'step')} after the violation`,
    });
  }
  return folds;
}

/**
 * The rows, with tops and heights. `open` holds the keys of the folds that are open; `heightOf` tells
 * how much room the words of a step need.
 */
function rowsOf(picture, folds, open, heightOf) {
  const rows = [];
  let top = 0;
  const add = (row, height) => {
    rows.push({ ...row, top, height });
    top += height;
  };
  for (let index = 0; index < picture.steps.length; index += 1) {
    const fold = folds.find(({ from }) => from === index);
    if (fold) {
      const key = `steps ${fold.from}`;
      const isOpen = open.has(key);
      add({ kind: 'fold', key, isOpen, ...fold }, ROW.fold);
      if (!isOpen) {
        index = fold.to;
        continue;
      }
    }
    const row = stepRow(picture, index, open);
    add(row, Math.max(row.needed, ROW.least, heightOf(index)));
  }
  return { rows, height: top };
}

/** A message that comes from the right needs the place beside the lane, where labels are. */
function comesFromRight(picture, [first]) {
  if (first.kind !== 'message_delivered') return false;
  const { from, to } = picture.messages[first.message];
  return picture.nodes.indexOf(from) > picture.nodes.indexOf(to);
}

function stepRow(picture, index, open) {
  const heightOf = (events) => {
    if (events.every(({ kind }) => kind === 'message_sent')) return ROW.sends;
    return ROW.event + (comesFromRight(picture, events) ? ROW.below : 0);
  };
  const moments = momentsOf(picture, picture.steps[index].events);
  const key = `events ${index}`;
  const isLong = moments.length > LONGEST_STEP;
  const isCut = isLong && !open.has(key);
  let y = ROW.first;
  const placed = moments.map((events, place) => {
    const isHidden = isCut && place >= ENDS_OF_LONG_STEP && place < moments.length - ENDS_OF_LONG_STEP;
    const at = y;
    if (!isHidden) y += heightOf(events);
    else if (place === moments.length - ENDS_OF_LONG_STEP - 1) y += ROW.fold;
    return { events, at, isHidden };
  });
  const hidden = placed.filter(({ isHidden }) => isHidden).length;
  const violations = picture.violations.filter(({ step }) => step === index);
  const marks = y - (moments.length > 0 ? ROW.event - ROW.last : ROW.first - 4);
  const needed = marks + (violations.length > 0 ? violations.length * ROW.mark + 30 : 0);
  return { kind: 'step', index, key, isLong, hidden, moments: placed, violations, marks, needed };
}

/** How far down each event is; what is folded is where its fold is. */
function heightsOf(picture, rows) {
  const known = [];
  const put = (event, y, isHidden) => known.push({ sequence: event.sequence, y, isHidden });
  for (const row of rows) {
    if (row.kind === 'step') {
      for (const { events, at, isHidden } of row.moments) {
        for (const event of events) put(event, row.top + at, isHidden);
      }
    } else if (!row.isOpen) {
      for (let index = row.from; index <= row.to; index += 1) {
        for (const event of picture.steps[index].events) put(event, row.top + row.height / 2, true);
      }
    }
  }
  return (sequence) => {
    let [low, high] = [0, known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (known[middle].sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return known[Math.max(0, low - 1)] ?? { y: ROW.first, isHidden: true };
  };
}
