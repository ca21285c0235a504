// Helpers of both pages. What comes from data becomes text, never markup.

const byId = (id) => document.getElementById(id);

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'onclick') node.addEventListener('click', value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(3).filter((child) => !['', null, undefined, false].includes(child)));
  return node;
}

const html = (tag, attributes = {}, ...children) => build(document.createElement(tag), attributes, children);

const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/** A name from data: it must not turn the text around it, and be seen even if it is empty. */
const named = (name) => html('bdi', {}, shown(name));

/** Data for people: signs that are not seen, and turn or hide what is, are made visible. */
function readData() {
  const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
  const isCopied = (key) => key === 'scenario' || key === 'rust_test' || key === 'page';
  const calm = (key, value) =>
    typeof value === 'string' && !isCopied(key) ? value.replace(unseen, '\ufffd') : value;
  return JSON.parse(byId('picture').textContent, calm);
}

const shown = (name) => (name === '' ? '(no name)' : name);

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** A browser may forbid storage on file: URLs. */
function stored(value) {
  try {
    if (value !== undefined) localStorage.setItem('highwater-theme', value);
    return localStorage.getItem('highwater-theme');
  } catch {
    return null;
  }
}

function startTheme(button) {
  const root = document.documentElement;
  const preferred = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const apply = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === 'dark' ? '☀ Light' : '☾ Dark';
    button.setAttribute('aria-label', theme === 'dark' ? 'Light colours' : 'Dark colours');
  };
  apply(stored() ?? preferred);
  button.addEventListener('click', () => {
    const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    apply(theme);
    stored(theme);
  });
}
