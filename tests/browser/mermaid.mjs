// Mermaid's own parser and renderer take every diagram.
// node mermaid.mjs NODE_MODULES FOLDER: the folder has *.mmd files.
import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [modules, folder] = process.argv.slice(2).map(path => resolve(path));
const playwright = await import(pathToFileURL(join(modules, 'playwright-core', 'index.mjs')));
const files = readdirSync(folder).filter(name => name.endsWith('.mmd')).sort();
if (files.length === 0) throw new Error(`no diagram in ${folder}`);

const browser = await playwright.chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let failed = 0;
try {
  const page = await browser.newPage();
  await page.addScriptTag({path: join(modules, 'mermaid', 'dist', 'mermaid.min.js')});
  await page.evaluate(() => mermaid.initialize({startOnLoad: false}));
  // A parser that takes anything would prove nothing.
  const takesNonsense = await page.evaluate(() =>
    mermaid.parse('sequenceDiagram\n    n0 ->>>>> ;', {suppressErrors: true}));
  if (takesNonsense) throw new Error('the parser takes nonsense');
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    const problem = await page.evaluate(async text => {
      try {
        await mermaid.parse(text);
        const {svg} = await mermaid.render('diagram', text);
        return svg.includes('<svg') ? null : 'nothing was drawn';
      } catch (error) {
        return String(error.message ?? error);
      }
    }, text);
    if (problem) {
      failed += 1;
      console.error(`FAILED ${name}: ${problem}`);
    }
  }
} finally {
  await browser.close();
}
console.log(`${files.length - failed} of ${files.length} diagrams are taken by mermaid`);
process.exit(failed === 0 ? 0 : 1);
