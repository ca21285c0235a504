// What stands around the steps: what broke, how it happened, and how to run it again.

const STORY_LINES = 10;

function drawHead(picture, go) {
  const [main, ...others] = picture.violations;
  const name = picture.name || picture.file.split('/').at(-1);
  byId('name').replaceChildren(main ? 'counterexample' : 'run', name ? ' · ' : '', name ? named(name) : '');
  byId('eyebrow').replaceChildren(
    html('span', { class: `verdict ${picture.verdict}` }, VERDICTS[picture.verdict] ?? picture.verdict),
    main ? html('span', { class: 'invariant' }, main.invariant) : '',
    main ? html('span', { class: 'kind' }, main.kind.replaceAll('-', ' ')) : '',
    picture.expectation_met === null
      ? ''
      : html('span', { class: 'expected' }, picture.expectation_met ? '✓ as expected' : '✗ not as expected'),
  );
  byId('evidence').replaceChildren(
    ...(main ? withNames(picture, sentence(main.evidence)) : ['No invariant is violated in this run.']),
  );
  byId('statement').replaceChildren(
    ...(main ? [html('b', {}, 'What must hold: '), sentence(main.statement)] : []),
  );
  drawFurther(others, go);
  const facts = [
    ['model', picture.model],
    ['rules', picture.rules],
    ['nodes', String(picture.nodes.length)],
    ...picture.configuration,
    picture.halted && ['run', 'ended early by a limit of the model'],
  ].filter(Boolean);
  byId('facts').replaceChildren(
    ...facts.map(([term, value]) => html('div', {}, html('dt', {}, term), html('dd', {}, value))),
  );
}

const VERDICTS = { violated: '✗ Violated', clean: '✓ Clean', undecided: '? Undecided' };

/** Names of nodes are not broken at a hyphen. */
function withNames(picture, text) {
  const names = picture.nodes.filter(({ length }) => length > 0 && length < 24);
  if (names.length === 0) return [text];
  const literal = (name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const pattern = new RegExp(
    `(${[...names]
      .sort((one, other) => other.length - one.length)
      .map(literal)
      .join('|')})`,
  );
  return text
    .split(pattern)
    .map((part, place) => (place % 2 ? html('span', { class: 'unbroken' }, part) : part));
}

/** As a sentence, unless it begins with a name or a value. */
function sentence(text) {
  const start = /^(?:the|an?|every|live|once|epochs|per|any|no)\b/.test(text);
  const first = start ? text[0].toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function drawFurther(others, go) {
  const list = html(
    'ul',
    {},
    others.map((violation) =>
      html(
        'li',
        { title: violation.evidence },
        '✗ ',
        html(
          'button',
          { type: 'button', class: 'link', onclick: () => go(violation.step) },
          `step ${violation.step}`,
        ),
        ' ',
        html('b', {}, violation.invariant),
        `: ${violation.evidence}`,
      ),
    ),
  );
  const isLong = others.length > 2;
  const label = `${others.length} more violated on the way or after`;
  byId('further').replaceChildren(
    ...(others.length === 0 ? [] : isLong ? [html('details', {}, html('summary', {}, label), list)] : [list]),
  );
}

function drawStory(picture, go) {
  const violation = picture.violations[0];
  if (!violation) {
    byId('story').parentElement.hidden = true;
    return;
  }
  const { lines, isWhole } = storyOf(picture, violation, STORY_LINES);
  if (!isWhole) byId('story-title').append(html('small', {}, ' the steps that matter most'));
  byId('story').replaceChildren(
    ...lines.map(({ index, step, effects, left, isLast }) => {
      const news = ['', 'done'].includes(step.answer) ? [] : [step.answer];
      const all = [...news, ...effects].join('; ');
      return html(
        'li',
        { class: isLast ? 'last' : null },
        html(
          'button',
          { type: 'button', 'data-step': index, onclick: () => go(index) },
          html('span', { class: 'number' }, isLast ? `✗ ${index}` : String(index)),
          html(
            'span',
            { class: 'told' },
            html('b', {}, step.words),
            isLast ? html('strong', {}, ' — here it breaks') : '',
            all === '' ? '' : withNames(picture, `: ${all}`),
            left > 0 ? '; …' : '',
          ),
        ),
      );
    }),
  );
}

function drawScenario(picture) {
  const file = picture.file || 'scenario.json';
  const texts = [
    ['command', `highwater replay ${/^[\w./:-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`}`],
    ['scenario', picture.scenario],
    ['Rust test', picture.rust_test],
  ].filter(([, text]) => text !== '');
  byId('scenario').replaceChildren(
    ...texts.map(([name, text]) => {
      const area = html('textarea', {
        readonly: true,
        'aria-label': `The ${name}`,
        spellcheck: 'false',
        rows: Math.min(16, text.split('\n').length + 1),
      });
      area.value = text;
      const details = html(
        'details',
        name === 'command' ? { open: true } : {},
        html('summary', {}, `The ${name}`),
        area,
      );
      const button = html(
        'button',
        { type: 'button', onclick: () => copy(name, area, details) },
        `Copy the ${name}`,
      );
      return html('div', { class: 'text' }, details, button);
    }),
  );
}

async function copy(name, area, details) {
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(area.value);
    isCopied = true;
  } catch {
    // No clipboard, or it is forbidden: what is selected in sight can be copied the old way.
    details.open = true;
    area.focus();
    area.select();
    isCopied = document.execCommand('copy');
  }
  byId('copied').textContent = isCopied
    ? `The ${name} is copied.`
    : `The ${name} is selected: copy it with Ctrl+C.`;
}
