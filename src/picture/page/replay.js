// The page of one run: it shows a step, and moves between steps.

const picture = readData();
const last = picture.steps.length - 1;
const violated = picture.violations[0]?.step ?? last;
const folds = foldsOf(picture);
const opened = new Set();
let current = stepInHash() ?? violated;
let room = 0;

function stepInHash() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  return found ? Math.min(Number(found[1]), last) : null;
}

/** Shows a step; `isAsked` is false for the first, which is neither announced nor put in the address. */
function go(index, isAsked = true) {
  current = Math.max(0, Math.min(last, index));
  unfold(current);
  drawStep();
  if (!isAsked) return;
  byId('live').textContent = spoken(current);
  try {
    history.replaceState(null, '', `#step=${current}`);
  } catch {
    // A browser may forbid it on file: URLs; the page works without.
  }
}

function unfold(index) {
  const keys = folds
    .filter(({ from, to }) => from <= index && index <= to)
    .map(({ from }) => `steps ${from}`);
  if (keys.every((key) => opened.has(key))) return;
  keys.forEach((key) => opened.add(key));
  drawRows();
}

function spoken(index) {
  const step = picture.steps[index];
  const parts = [`${stepName(picture, index)}: ${step.words}${step.answer ? ` — ${step.answer}` : ''}.`];
  if (step.high_watermark !== null) parts.push(`HW ${step.high_watermark}.`);
  if (step.leader !== null) parts.push(`${shown(step.leader)} leads.`);
  const violations = picture.violations.filter((violation) => violation.step === index);
  for (const { invariant, evidence } of violations) parts.push(`Violated: ${invariant}: ${evidence}.`);
  return parts.join(' ');
}

/** The diagram: it is drawn anew when a fold is opened or the room changes. */
function drawRows() {
  const container = byId('diagram');
  room = container.clientWidth;
  const geometry = geometryOf(picture, room);
  const { rows, height } = rowsOf(picture, folds, opened, (index) =>
    heightOfWords(picture.steps[index], geometry.words),
  );
  const style = container.style;
  style.setProperty('--words', `${geometry.words}px`);
  style.setProperty('--tick', `${geometry.tick}px`);
  style.setProperty('--lane-width', `${geometry.lane}px`);
  style.setProperty('--width', `${geometry.width}px`);
  const drawing = drawDiagram(picture, rows, height, geometry);
  drawing.addEventListener('click', (event) => {
    const y = event.clientY - drawing.getBoundingClientRect().top;
    const row = rows.find(({ top, height: size }) => y >= top && y < top + size);
    if (row?.kind !== 'step') return;
    go(row.index);
    focusCurrent();
  });
  const list = html('ol', { class: 'operations', 'aria-label': 'Operations' }, rows.map(operationRow));
  list.style.height = `${height}px`;
  container.replaceChildren(laneNames(geometry), html('div', { class: 'rows' }, list, drawing));
}

function heightOfWords({ number, phase, words, answer }, width) {
  const isNarrow = width < 120;
  const free = isNarrow ? width - 14 : width - 58;
  // The number stands before the words where the column is narrow.
  const lines = (text, most = 3) =>
    Math.min(most, Math.ceil((measure(text, '600 13px system-ui, sans-serif') + (isNarrow ? 24 : 0)) / free));
  const ofWords = lines(number === null ? `${phase}: ${words}` : words);
  const ofAnswer = ['', 'done'].includes(answer) ? 0 : lines(`→ ${answer}`, 2);
  return 14 + 17 * (ofWords + ofAnswer);
}

function laneNames({ tick }) {
  return html(
    'div',
    { class: 'lanes', 'aria-hidden': 'true' },
    html('span', { class: 'corner' }, 'operation'),
    html('span', { class: 'when' }, tick > 20 ? 'tick' : ''),
    picture.nodes.map((name) => html('span', { class: 'name', title: name }, named(name))),
    html('span', { class: 'name partition' }, 'partition'),
  );
}

function operationRow(row) {
  const item = html('li', { class: row.kind });
  item.style.height = `${row.height}px`;
  if (row.kind === 'fold') {
    const label = `${row.isOpen ? '▾' : '▸ …'} ${row.words}`;
    item.append(
      html(
        'button',
        { type: 'button', class: 'unfold', 'aria-expanded': String(row.isOpen), onclick: () => toggle(row) },
        label,
      ),
    );
    return item;
  }
  const { number, words, answer, refused, phase } = picture.steps[row.index];
  const isBroken = row.violations.length > 0;
  item.append(
    html(
      'button',
      {
        type: 'button',
        class: refused ? 'operation refused' : 'operation',
        'data-step': row.index,
        tabindex: -1,
        onclick: () => go(row.index),
      },
      html(
        'span',
        { class: 'told' },
        html('span', { class: 'number' }, isBroken ? '✗ ' : '', String(row.index)),
        ' ',
        number === null ? html('span', { class: 'phase' }, `${phase}: `) : '',
        html('span', { class: 'words', title: words }, words),
        answer === 'done' || answer === ''
          ? html('span', { class: 'unseen' }, ` — ${answer}`)
          : html('span', { class: 'answer', title: answer }, refused ? '⊘ ' : '→ ', answer),
      ),
    ),
  );
  if (row.isLong) {
    const label = row.hidden > 0 ? `▸ … ${row.hidden} more events` : '▾ fewer events';
    const more = html(
      'button',
      {
        type: 'button',
        class: 'unfold inner',
        'aria-expanded': String(row.hidden === 0),
        onclick: () => toggle(row),
      },
      label,
    );
    item.append(more);
    if (row.hidden > 0) more.style.top = `${row.moments.find(({ isHidden }) => isHidden).at - 10}px`;
  }
  return item;
}

/** Opens or closes a fold, and keeps the focus where it was. */
function toggle({ key, from, to }) {
  const container = byId('diagram');
  const place = [...container.querySelectorAll('.unfold')].indexOf(document.activeElement);
  const { scrollTop } = container;
  if (opened.delete(key)) {
    // The chosen step is always to be seen.
    if (from <= current && current <= to) go(from - 1);
  } else opened.add(key);
  drawRows();
  drawStep();
  container.scrollTop = scrollTop;
  container.querySelectorAll('.unfold')[place]?.focus();
}

function drawStep() {
  drawBar();
  markCurrent();
  const { high_watermark: hw } = picture.steps[current];
  byId('logs-title').textContent =
    `Logs ${current === 0 ? 'at the start' : `after step ${current}`}${hw === null ? '' : `: HW ${hw}`}`;
  const logs = byId('logs');
  const left = logs.scrollLeft;
  logs.replaceChildren(drawLogs(picture, current));
  logs.scrollLeft = left;
  const focus = logs.querySelector('td.violating, th.violated, td.new, td.gone, td.replaced');
  if (focus) reveal(logs, focus, logs.querySelector('th').offsetWidth);
  drawDetails();
}

function drawBar() {
  const slider = byId('slider');
  slider.value = current;
  const step = picture.steps[current];
  slider.setAttribute('aria-valuetext', `${stepName(picture, current)}: ${step.words}`);
  byId('position').replaceChildren(html('b', {}, `${current} / ${last}`), ' ', step.words);
  byId('previous').disabled = current === 0;
  byId('next').disabled = current === last;
}

function markCurrent() {
  const container = byId('diagram');
  const rows = [...container.querySelectorAll('.operation')];
  for (const row of rows) {
    const isCurrent = Number(row.dataset.step) === current;
    row.tabIndex = isCurrent ? 0 : -1;
    if (isCurrent) row.setAttribute('aria-current', 'step');
    else row.removeAttribute('aria-current');
  }
  for (const button of document.querySelectorAll('.story button')) {
    if (Number(button.dataset.step) === current) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
  }
  const item = rows.find(({ tabIndex }) => tabIndex === 0)?.parentElement;
  if (!item) return;
  const here = byId('here');
  here.setAttribute('y', item.offsetTop);
  here.setAttribute('height', item.offsetHeight);
  const head = container.querySelector('.lanes').offsetHeight;
  const seen = seenHeight(container) - head - 12;
  const { offsetTop: top, offsetHeight: height } = item;
  const [from, to] = [container.scrollTop, container.scrollTop + seen];
  if (top >= from + 12 && top + height <= to) return;
  // A violation is marked at the end of its step; of other steps the beginning matters most.
  const isBroken = picture.violations.some(({ step }) => step === current);
  if (height > seen) container.scrollTop = isBroken ? top + height - seen : top - 12;
  else container.scrollTop = top + height / 2 - (height + 120 > seen ? seen / 2 : seen * 0.6);
}

/** How much of a container the window shows. */
function seenHeight(container) {
  const { top } = container.getBoundingClientRect();
  return Math.max(160, Math.min(container.clientHeight, innerHeight - Math.max(0, top)));
}

/** Scrolls a container sideways until a part of it is in sight beside the column that stays. */
function reveal(container, part, column) {
  const { offsetLeft: start, offsetWidth: width } = part;
  const { scrollLeft, clientWidth } = container;
  if (start < scrollLeft + column) container.scrollLeft = start - column - 10;
  else if (start + width > scrollLeft + clientWidth) container.scrollLeft = start + width - clientWidth + 10;
}

function drawDetails() {
  const step = picture.steps[current];
  const tick = step.tick === null ? '' : `, tick ${step.tick}`;
  byId('step-title').replaceChildren(
    `In step ${current}${tick}: `,
    html('span', {}, step.words),
    step.answer ? ` → ${step.answer}` : '',
  );
  const violations = picture.violations.filter((violation) => violation.step === current);
  const changes = changesBetween(picture.steps[current - 1], step);
  const list = html(
    'ol',
    { class: 'told-events' },
    step.events.map((event) => {
      const fate = arrivalIn(picture, event)?.fate;
      const symbol = { dropped: '✕ ', rejected: '⊘ ' }[fate] ?? '';
      return html(
        'li',
        {},
        symbol,
        event.node === null ? '' : html('b', {}, named(event.node), ' '),
        event.words,
        event.tick !== null && event.tick !== step.tick ? html('small', {}, ` tick ${event.tick}`) : '',
      );
    }),
  );
  const count = plural(step.events.length, 'event');
  byId('step').replaceChildren(
    ...violations.map(({ invariant, evidence }) =>
      html('p', { class: 'broken' }, html('b', {}, `✗ ${invariant}: `), evidence),
    ),
    changes.length === 0
      ? html(
          'p',
          { class: 'nothing' },
          current === 0 ? 'Everything begins here.' : 'Nothing changed in the partition.',
        )
      : html(
          'ul',
          { class: 'changes' },
          changes.map(({ text }) => html('li', {}, text)),
        ),
    step.events.length === 0
      ? ''
      : html('details', { open: step.events.length <= 16 }, html('summary', {}, `${count}, in order`), list),
  );
}

/** Keys move between steps, unless what has the focus needs them itself. */
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId('help').open) return;
  const { target, key } = event;
  if (target.closest('textarea, summary')) return;
  if (key === '?') byId('help').showModal();
  else if (key === 'v' && picture.violations.length > 0) go(violated);
  else {
    const isInList = target.matches('.operation');
    const moves = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last };
    if (isInList || target.id === 'slider')
      Object.assign(moves, { ArrowUp: current - 1, ArrowDown: current + 1 });
    if (!(key in moves) || scrolls(target, key)) return;
    go(moves[key]);
    if (isInList) focusCurrent();
  }
  event.preventDefault();
}

/** Whether a key scrolls what has the focus. */
function scrolls(target, key) {
  if (!target.matches('.scroll, .side')) return false;
  const isSideways = key === 'ArrowLeft' || key === 'ArrowRight';
  return isSideways ? target.scrollWidth > target.clientWidth : target.scrollHeight > target.clientHeight;
}

const focusCurrent = () => byId('diagram').querySelector('[aria-current]').focus({ preventScroll: true });

function start() {
  startTheme(byId('theme'));
  drawHead(picture, go);
  drawStory(picture, go);
  drawScenario(picture);
  drawLegends(picture);
  const slider = byId('slider');
  slider.max = last;
  for (const step of new Set(picture.violations.map((violation) => violation.step))) {
    const mark = html('span', { class: step === violated ? 'main' : null }, '✗');
    mark.style.setProperty('--at', last === 0 ? 0 : step / last);
    byId('ticks').append(mark);
  }
  slider.addEventListener('input', () => go(Number(slider.value)));
  byId('previous').addEventListener('click', () => go(current - 1));
  byId('next').addEventListener('click', () => go(current + 1));
  byId('to-violation').addEventListener('click', () => go(violated));
  byId('to-violation').hidden = picture.violations.length === 0;
  byId('help-open').addEventListener('click', () => byId('help').showModal());
  document.addEventListener('keydown', onKey);
  addEventListener('hashchange', () => go(stepInHash() ?? current));
  drawRows();
  go(current, false);
  new ResizeObserver(() => {
    if (byId('diagram').clientWidth === room) return;
    drawRows();
    markCurrent();
  }).observe(byId('diagram'));
}

start();
