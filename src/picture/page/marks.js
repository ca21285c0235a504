// Short words and symbols for what happens at a node; the whole words are in the tooltip and the list.

const offsetIn = (words) => / ?offset (\d+)/.exec(words)?.[1] ?? '?';

const epochIn = (words) => / epoch (-?\d+)/.exec(words)?.[1] ?? '?';

/** The words for a kind of event; where two are given, the second is for narrow lanes. */
const SHORT = {
  isr_group_created: () => [''],
  message_sent: () => [''],
  message_dropped: () => [''],
  message_duplicated: () => ['comes twice', '×2'],
  message_moved: (words) => [words.replace(/^message \d+ is due at tick (\d+) now$/, 'due at $1')],
  partition_added: (words) => [words.replace(/^the link (?:to and from|to) (.*) is cut$/, '╳ cut: $1')],
  partition_healed: (words) => [
    words.replace(/^the link (?:to and from|to) (.*) is healed$/, '○ healed: $1'),
  ],
  isr_append_rejected: () => ['rejects it', 'rejects'],
  isr_member_added: () => ['+ joins ISR', '+ ISR'],
  isr_member_removed: () => ['− leaves ISR', '− ISR'],
  isr_replication_delayed: (words) => [`slow: @${offsetIn(words)} waits`, `@${offsetIn(words)} waits`],
  isr_incremental_catchup_started: (words) => [
    `sync from ${Number(offsetIn(words)) + 1}`,
    `sync ${Number(offsetIn(words)) + 1}…`,
  ],
  isr_full_catchup_started: () => ['full sync', 'sync all'],
  isr_node_fsynced: (words) => [`▣ on disk: ${offsetIn(words)}`, `▣ disk ${offsetIn(words)}`],
  isr_fsync_loss: (words) => [`loses all after ${lossIn(words)}`, `keeps ${lossIn(words)}`],
  isr_node_crashed: () => ['✖ crash'],
  isr_node_restarted: () => ['▲ restart', '▲ up'],
  isr_node_isolated: () => ['╳ cut off', '╳ cut'],
  isr_node_healed: () => ['○ reachable', '○ back'],
  isr_controller_elected: (words) => [`elected, epoch ${epochIn(words)}`, `e${epochIn(words)}`],
  isr_high_watermark_advanced: (words) => [/HW is (\d+)/.exec(words)?.[0].replace(' is', '') ?? words],
  isr_client_write_result: (words) => [
    `${words.endsWith('not accepted') ? '✗' : '✓'} ack @${offsetIn(words)}`,
  ],
  isr_client_read: (words) => [/read: [^,]*/.exec(words)?.[0] ?? words],
};

const lossIn = (words) => /log end is (\d+)/.exec(words)?.[1] ?? 'disk';

/** The entry that an event appends: offset and epoch, or null. */
function appended(event) {
  if (event.kind !== 'isr_entry_appended') return null;
  const [, offset, epoch] = /offset (\d+), epoch (-?\d+)/.exec(event.words) ?? [];
  return offset === undefined ? null : { offset: Number(offset), epoch: Number(epoch) };
}

/** The entry that a moment adds to a log; in models of atomic steps the logs themselves tell. */
function entryOf(picture, index, events) {
  const entry = events.map(appended).find((found) => found !== null);
  if (entry || !isAtomic(picture)) return entry;
  const place = picture.nodes.indexOf(events[0].node);
  if (place < 0 || index === 0) return undefined;
  const { log } = picture.steps[index].nodes[place];
  const runs = runsOf(picture.steps[index - 1].nodes[place].log, log);
  if (runs.length !== 1 || runs[0].change !== 'new' || runs[0].from !== runs[0].to) return undefined;
  return { offset: runs[0].from, epoch: log[runs[0].from - 1].epoch };
}

const isAtomic = (picture) => picture.steps[0].tick === null;

/** The labels of a moment at a node, without entries: one for wide lanes and one for narrow ones. */
function labelsOf(picture, index, events) {
  if (isAtomic(picture)) return [atomicLabel(picture, index, events)];
  const isAlone = (event) => event.kind !== 'message_delivered' || events.length === 1;
  const isImplied = (event) =>
    LINKS.includes(event.kind) && events.some(({ kind }) => WITH_LINKS.includes(kind));
  const labels = events
    .filter((event) => isAlone(event) && !isImplied(event) && !appended(event))
    .map((event) => {
      const delivered = event.kind === 'message_delivered' && picture.messages[event.message];
      if (delivered) return [`gets ${inShort(delivered.words)}`, inShort(delivered.words)];
      return SHORT[event.kind]?.(event.words) ?? [event.words];
    })
    .filter(([words]) => words !== '');
  const join = (pick) => labels.map(pick).join(' · ');
  return [join(([long]) => long), join(([long, brief]) => brief ?? long)];
}

/** What an atomic step did to its node; the operation's words stand beside it already. */
function atomicLabel(picture, index, events) {
  if (entryOf(picture, index, events)) return '';
  const [{ node, words }] = events;
  const step = picture.steps[index];
  const changes = node === null ? [] : changesBetween(picture.steps[index - 1], step);
  const own = changes.filter(({ nodes }) => nodes.length === 1 && nodes[0] === node);
  const [most] = own.sort((one, other) => other.weight - one.weight);
  if (most && words === step.words) return most.text.slice(shown(node).length).replace(/^('s|:)? /, '');
  return words.replace(/^the controller /, '');
}

const inShort = (words) =>
  words
    .replace(/^.* at offset (\d+) in epoch .*$/s, 'offset $1')
    .replace(/^a snapshot of (\d+) entr.*$/s, 'snapshot of $1');

/** Shortens a text so that it fits a width; a canvas measures without layout. */
const measure = (() => {
  const context = document.createElement('canvas').getContext('2d');
  const widths = new Map();
  return (text, font) => {
    const key = `${font}|${text}`;
    if (!widths.has(key)) {
      context.font = font;
      widths.set(key, context.measureText(text).width);
    }
    return widths.get(key);
  };
})();

function fit(text, width, font) {
  if (text.length > 200) return fit(`${text.slice(0, 199)}…`, width, font);
  if (measure(text, font) <= width) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${text.slice(0, middle)}…`, font) <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}

const epochClass = (epoch) => `epoch-${((epoch % 6) + 6) % 6}`;
