// How long each node leads, is in the ISR, is down or is cut off, in heights of the diagram.

const STATES = ['in_isr', 'isolated', 'slow', 'alive', 'leads'];

/** What an event says of its node before its step is over. */
const TURNS = {
  isr_member_added: { in_isr: true },
  isr_member_removed: { in_isr: false },
  isr_node_crashed: { alive: false, in_isr: false, isolated: false },
  isr_node_restarted: { alive: true },
  isr_node_isolated: { isolated: true, in_isr: false },
  isr_node_healed: { isolated: false },
  isr_controller_elected: { leads: true },
};

/** Spans `{node, state, value, from, to, peer?}`, each with one value from one height to another. */
function spansOf(picture, rows, height) {
  const spans = [];
  const open = new Map();
  const turn = (key, node, state, value, y, peer) => {
    const span = open.get(key);
    if (span?.value === value) return;
    if (span) spans.push({ ...span, to: y });
    open.set(key, { node, state, value, from: y, peer });
  };
  const set = (node, state, value, y) => turn(`${state} ${node}`, node, state, value, y);
  const place = new Map(picture.nodes.map((name, index) => [name, index]));

  const happen = (event, y) => {
    const turns = TURNS[event.kind];
    if (!turns || !place.has(event.node)) return;
    for (const [state, value] of Object.entries(turns)) set(place.get(event.node), state, value, y);
    if (!turns.leads) return;
    picture.nodes.forEach((name, node) => name !== event.node && set(node, 'leads', false, y));
  };
  const settle = (index, heightOf) => {
    const step = picture.steps[index];
    step.nodes.forEach((node, number) => {
      for (const state of STATES) {
        const value = state === 'isolated' ? isCutOff(step, node) : node[state];
        set(number, state, value, heightOf(node.name));
      }
    });
    const cut = new Set(lonelyCuts(step).map(([from, to]) => JSON.stringify([from, to])));
    for (const key of [...open.keys()]) {
      const { node, state, peer } = open.get(key);
      if (state === 'cut' && !cut.has(key))
        turn(key, node, 'cut', false, heightOf(picture.nodes[node]), peer);
    }
    for (const key of cut) {
      const [from, peer] = JSON.parse(key);
      turn(key, place.get(from), 'cut', true, heightOf(from), peer);
    }
  };

  for (const row of rows) {
    if (row.kind === 'fold') {
      if (!row.isOpen) settle(row.to, () => row.top + row.height / 2);
      continue;
    }
    const last = new Map();
    for (const { events, at } of row.moments) {
      for (const event of events) {
        happen(event, row.top + at);
        last.set(event.node, row.top + at);
      }
    }
    settle(
      row.index,
      (name) => last.get(name) ?? row.top + (row.index === 0 ? 0 : (row.moments.at(-1)?.at ?? ROW.first)),
    );
  }
  for (const span of open.values()) spans.push({ ...span, to: height });
  // What is later in STATES is drawn over what is earlier.
  return spans.sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state));
}

/** Cut links that are not said by a node being cut off. */
function lonelyCuts(step) {
  const isolated = new Set(step.nodes.filter((node) => node.isolated).map(({ name }) => name));
  return step.cut_links.filter(([from, to]) => !isolated.has(from) && !isolated.has(to));
}
