// The index of many runs, grouped by what they violate and how.

const { title, scenarios } = readData();

const CLEAN = 'Nothing violated';

/** Groups in the order in which they are first met. */
function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

const shortestFirst = (one, other) =>
  one.operations - other.operations || one.nodes - other.nodes || one.name.localeCompare(other.name);

function invariantsOf(all) {
  const groups = [...grouped([...all].sort(shortestFirst), ({ invariant }) => invariant ?? CLEAN)];
  const place = ([name]) => (name === CLEAN ? 1 : 0);
  return groups.sort((one, other) => place(one) - place(other) || one[0].localeCompare(other[0]));
}

/** One scenario; what the filter looks through is kept beside it. */
function entryOf(scenario) {
  const {
    name,
    file,
    page,
    model,
    rules,
    nodes,
    operations,
    verdict,
    expectation_met: isMet,
    evidence,
    words,
  } = scenario;
  const label = name || file.split('/').at(-1);
  const isUnexpected = isMet === false;
  return html(
    'li',
    { class: 'entry-of-index' },
    html(
      'p',
      { class: 'link-line' },
      page === null ? html('b', {}, named(label)) : html('a', { href: page }, named(label)),
      html(
        'span',
        { class: 'size' },
        `${plural(operations, 'operation')} · ${plural(nodes, 'node')} · ${model} ${rules}`,
      ),
      isUnexpected ? html('span', { class: 'badge bad' }, '✗ not as expected') : '',
      verdict === 'undecided' ? html('span', { class: 'badge' }, '? undecided') : '',
    ),
    evidence === null ? '' : html('p', { class: 'evidence' }, evidence),
    html(
      'p',
      { class: 'words' },
      words.slice(0, 12).join(' · '),
      words.length > 12 ? ` · … ${words.length - 12} more` : '',
    ),
  );
}

const searched = (scenario) => {
  const { name, file, model, rules, verdict, invariant, kind, evidence, words } = scenario;
  return [name, file, model, rules, verdict, invariant, kind, evidence, ...words].join('\n').toLowerCase();
};

const entries = [];

function sectionOf(invariant, items, number) {
  const kinds = [...grouped(items, ({ kind }) => kind ?? '')];
  const lists = kinds.map(([kind, members]) => {
    const list = html(
      'ul',
      {},
      members.map((scenario) => {
        const item = entryOf(scenario);
        entries.push({ item, text: searched(scenario) });
        return item;
      }),
    );
    return html(
      'section',
      { class: 'kind-group' },
      kind === '' ? '' : html('h3', {}, kind.replaceAll('-', ' '), ' ', html('span', { class: 'count' })),
      list,
    );
  });
  const statement = items.find((item) => item.statement !== null)?.statement;
  return html(
    'section',
    { class: 'invariant-group', id: `group-${number}`, 'aria-labelledby': `heading-${number}` },
    html('h2', { id: `heading-${number}` }, invariant, ' ', html('span', { class: 'count' })),
    statement ? html('p', { class: 'statement' }, statement) : '',
    lists,
  );
}

/** Hides what does not match, and counts what does. */
function filter(query) {
  const wanted = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  let found = 0;
  for (const { item, text } of entries) {
    item.hidden = !wanted.every((word) => text.includes(word));
    if (!item.hidden) found += 1;
  }
  for (const group of document.querySelectorAll('.kind-group, .invariant-group')) {
    const count = group.querySelectorAll('.entry-of-index:not([hidden])').length;
    group.hidden = count === 0;
    const place = group.querySelector('.count');
    if (place) place.textContent = String(count);
  }
  for (const link of document.querySelectorAll('#invariants a')) {
    link.parentElement.hidden = document.querySelector(link.getAttribute('href')).hidden;
  }
  byId('found').textContent = wanted.length === 0 ? '' : `${found} of ${plural(entries.length, 'scenario')}`;
}

function start() {
  startTheme(byId('theme'));
  byId('title').textContent = title;
  const violated = scenarios.filter(({ verdict }) => verdict === 'violated').length;
  const groups = invariantsOf(scenarios);
  const invariants = groups.filter(([name]) => name !== CLEAN).length;
  byId('summary').textContent =
    scenarios.length === 0
      ? 'There are no scenarios here.'
      : `${plural(scenarios.length, 'scenario')}: ${violated} with a violation, of ${plural(invariants, 'invariant')}. The shortest come first.`;
  byId('groups').append(...groups.map(([invariant, items], number) => sectionOf(invariant, items, number)));
  byId('invariants').append(
    ...groups.map(([invariant, items], number) =>
      html('li', {}, html('a', { href: `#group-${number}` }, invariant), ` ${items.length}`),
    ),
  );
  const field = byId('filter');
  field.addEventListener('input', () => filter(field.value));
  filter(field.value);
}

start();
