// Opens every HTML page of a folder in a browser and uses it as a reader would.
//
//   node tests/browser/page.mjs PLAYWRIGHT_CORE_FOLDER HTML_FOLDER [SCREENSHOT_FOLDER]
//
// PLAYWRIGHT_CORE_FOLDER is node_modules/playwright-core; the browser is $CHROMIUM or /usr/bin/chromium.

import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [playwrightFolder, htmlFolder, screenshotFolder] = process.argv.slice(2);
if (!htmlFolder) {
  console.error('usage: node page.mjs PLAYWRIGHT_CORE_FOLDER HTML_FOLDER [SCREENSHOT_FOLDER]');
  process.exit(2);
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const LONGEST_OPENING = 2000;
const LEAST_CONTRAST = 4.5;

const { chromium } = await import(pathToFileURL(resolve(playwrightFolder, 'index.mjs')));
const names = readdirSync(htmlFolder)
  .filter((name) => name.endsWith('.html'))
  .sort();
if (screenshotFolder) mkdirSync(screenshotFolder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

let failed = 0;
for (const name of names) {
  const problems = [];
  const say = (isGood, problem) => isGood || problems.push(problem);
  let opening = 0;
  try {
    opening = await testPage(name, say);
  } catch (error) {
    problems.push(`the test stopped: ${error.message.split('\n')[0]}`);
  }
  if (problems.length > 0) failed += 1;
  const verdict = problems.length === 0 ? 'ok' : `FAILED: ${problems.join('; ')}`;
  console.log(`${name}: opened in ${Math.round(opening)} ms: ${verdict}`);
}
await browser.close();
console.log(
  names.length === 0 ? `no HTML pages in ${htmlFolder}` : `${names.length} pages, ${failed} failed`,
);
process.exit(failed > 0 || names.length === 0 ? 1 : 0);

async function testPage(name, say) {
  const url = pathToFileURL(resolve(htmlFolder, name)).href;
  const inContext = async (viewport, colorScheme, use) => {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) say(false, `console: ${message.text()}`);
    });
    page.on('pageerror', (error) => say(false, `error: ${error.message}`));
    page.on('request', (request) => {
      const asked = request.url();
      if (asked.split('#')[0] !== url && !asked.startsWith('data:')) say(false, `asks for ${asked}`);
    });
    await page.goto(url);
    const result = await use(page);
    await context.close();
    return result;
  };

  const opening = await inContext(DESKTOP, 'light', async (page) => {
    const isReplay = (await page.locator('#slider').count()) > 0;
    const milliseconds = await timeToDraw(page);
    if (name.includes('long')) {
      say(milliseconds < LONGEST_OPENING, `opens in ${Math.round(milliseconds)} ms`);
    }
    await screenshot(page, name, 'desktop-light');
    await (isReplay ? testReplay(page, say) : testIndex(page, say));
    await testNames(page, say);
    await testContrast(page, say, 'light');
    return milliseconds;
  });
  await inContext(DESKTOP, 'dark', async (page) => {
    await testContrast(page, say, 'dark');
    await screenshot(page, name, 'desktop-dark');
  });
  await inContext(PHONE, 'light', async (page) => {
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    say(excess <= 0, `is ${excess} px too wide for a phone`);
    await screenshot(page, name, 'phone-light', true);
  });
  return opening;
}

/** From the start of navigation until the scripts have run and something is painted. */
function timeToDraw(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        const look = () => {
          const [paint] = performance.getEntriesByName('first-contentful-paint');
          const [{ loadEventEnd }] = performance.getEntriesByType('navigation');
          if (paint && loadEventEnd > 0) done(Math.max(paint.startTime, loadEventEnd));
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

async function screenshot(page, name, kind, isWhole = false) {
  if (!screenshotFolder) return;
  await page.screenshot({
    path: join(screenshotFolder, `${name.replace('.html', '')}-${kind}.png`),
    fullPage: isWhole,
  });
}

/** A text without the signs that are not seen, which a page shows in its own way. */
function visible(text) {
  return text.replace(/[\p{C}\ufffd]/gu, '');
}

/** What a reader sees of the chosen step. */
function shownState(page) {
  return page.evaluate(() => ({
    value: Number(document.querySelector('#slider').value),
    current: [...document.querySelectorAll('.operation[aria-current]')].map(({ dataset }) =>
      Number(dataset.step),
    ),
    live: document.querySelector('#live').textContent,
    hash: location.hash,
  }));
}

/** Whether a part is in the window and in what scrolls around it. */
function isInSight(page, selector) {
  return page.evaluate((wanted) => {
    const part = document.querySelector(wanted);
    if (!part) return false;
    const { left, right, top, bottom } = part.getBoundingClientRect();
    const boxes = [{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }];
    for (let box = part.parentElement; box; box = box.parentElement) {
      if (/auto|scroll|hidden/.test(getComputedStyle(box).overflowY)) boxes.push(box.getBoundingClientRect());
    }
    const isWide = boxes.every((box) => right > box.left && left < box.right);
    return isWide && bottom > top && boxes.every((box) => top >= box.top - 1 && bottom <= box.bottom + 1);
  }, selector);
}

async function testReplay(page, say) {
  const { steps, violations } = await page.evaluate(() =>
    JSON.parse(document.querySelector('#picture').textContent),
  );
  const last = steps.length - 1;
  const violated = violations[0]?.step ?? last;
  const wordsOf = (index) => steps[index].words;

  const first = await shownState(page);
  say(first.value === violated, `opens at step ${first.value}, not ${violated}`);
  say(first.hash === '', 'puts a step in the address before anyone asks');
  say(await isInSight(page, '#evidence'), 'the evidence is not in sight at first');
  if (violations.length > 0) {
    say(await isInSight(page, '#eyebrow .violated'), 'the verdict is not in sight at first');
    say(
      await isInSight(page, '#violation-mark .rule, #violation-mark'),
      'the violation is not in sight at first',
    );
  }

  const press = async (key, expected) => {
    await page.keyboard.press(key);
    const state = await shownState(page);
    say(state.value === expected, `${key} leads to step ${state.value}, not ${expected}`);
    say(
      state.current.length === 1 && state.current[0] === expected,
      `after ${key} step ${state.current} is current`,
    );
    say(state.hash === `#step=${expected}`, `after ${key} the address ends in ${state.hash}`);
    say(
      visible(state.live).includes(visible(wordsOf(expected))),
      `after ${key} step ${expected} is not announced`,
    );
  };
  await press('Home', 0);
  for (let index = 1; index <= Math.min(3, last); index += 1) await press('ArrowRight', index);
  if (last >= 1) await press('ArrowLeft', Math.min(3, last) - 1);
  await press('End', last);
  await press('ArrowRight', last);
  if (violations.length > 0) {
    await press('v', violated);
    say(await isInSight(page, '#violation-mark'), 'after v the violation is not in sight');
    await press('Home', 0);
    for (let index = 1; index <= violated; index += 1) await page.keyboard.press('ArrowRight');
    say((await shownState(page)).value === violated, 'stepping does not lead to the violation');
    say(await isInSight(page, '#violation-mark'), 'after stepping there the violation is not in sight');
  }

  await page.locator('#slider').focus();
  await press('Home', 0);
  if (last >= 1) await press('ArrowRight', 1);
  const isWide = await page.locator('#logs').evaluate((logs) => {
    logs.focus();
    return logs.scrollWidth > logs.clientWidth;
  });
  await page.keyboard.press('ArrowRight');
  const isMoved = (await shownState(page)).value !== Math.min(1, last);
  say(
    isMoved === (!isWide && last > 1),
    isWide ? 'logs cannot be scrolled with keys' : 'logs take keys that they do not need',
  );
  await page.locator('#to-violation, #help-open').last().focus();
  await page.keyboard.press('?');
  say(await page.locator('#help').evaluate((dialog) => dialog.open), '? does not open the help');
  await page.keyboard.press('Escape');

  await page.locator('.operation[aria-current]').focus();
  await page.keyboard.press('Home');
  await press('ArrowDown', Math.min(1, last));
  await press('ArrowUp', 0);
  say(
    await page.evaluate(() => document.activeElement.matches('.operation[aria-current]')),
    'the focus is lost in the list',
  );
  await testCopies(page, say);
  await page.goto(`${page.url().split('#')[0]}#step=${last}`);
  say((await shownState(page)).value === last, 'the step in the address is not shown');
}

async function testCopies(page, say) {
  const buttons = page.locator('#scenario button');
  for (let index = 0; index < (await buttons.count()); index += 1) {
    await page.locator('#copied').evaluate((place) => (place.textContent = ''));
    await buttons.nth(index).click();
    const isSaid = page.waitForFunction(
      () => /copied|selected/.test(document.querySelector('#copied').textContent),
      null,
      { timeout: 2000 },
    );
    say(
      await isSaid.then(
        () => true,
        () => false,
      ),
      'copying says nothing',
    );
  }
}

async function testIndex(page, say) {
  const { scenarios } = await page.evaluate(() => JSON.parse(document.querySelector('#picture').textContent));
  const visible = page.locator('.entry-of-index:visible');
  say((await visible.count()) === scenarios.length, 'not every scenario is listed');
  const linked = await page
    .locator('.entry-of-index a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const pages = scenarios.filter((scenario) => scenario.page !== null).map((scenario) => scenario.page);
  say(JSON.stringify(linked.sort()) === JSON.stringify(pages.sort()), 'not every page is linked');
  if (scenarios.length === 0) return;
  await page.locator('#filter').fill('nothing is called like this');
  say((await visible.count()) === 0, 'the filter hides nothing');
  await page.locator('#filter').fill(scenarios[0].name.toUpperCase());
  say((await visible.count()) >= 1, 'the filter does not find a name');
  await page.locator('#filter').fill('');
  say((await visible.count()) === scenarios.length, 'an empty filter hides something');
}

/** Everything that can be used has a name. */
async function testNames(page, say) {
  const nameless = await page.evaluate(() => {
    const usable = document.querySelectorAll('a, button, input, textarea, summary, select, [tabindex="0"]');
    const nameOf = (element) =>
      element.getAttribute('aria-label') ??
      (element.hasAttribute('aria-labelledby')
        ? document.getElementById(element.getAttribute('aria-labelledby'))?.textContent
        : (element.labels?.[0]?.textContent ?? element.textContent));
    return [...usable]
      .filter((element) => !nameOf(element)?.trim())
      .map((element) => element.outerHTML.slice(0, 80));
  });
  say(nameless.length === 0, `no name: ${nameless.join(', ')}`);
}

/** The contrast of what is read, against the ground that is painted behind it. */
async function testContrast(page, say, scheme) {
  const poor = await page.evaluate((least) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const parse = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => {
      const [red, green, blue] = colour.map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const groundOf = (element) => {
      for (let box = element; box; box = box.parentElement) {
        const ground = parse(getComputedStyle(box).backgroundColor);
        if (ground[3] === 255) return ground;
      }
      return [255, 255, 255, 255];
    };
    const found = new Set();
    for (const element of document.querySelectorAll('body *')) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
      const isDrawn = element.namespaceURI.endsWith('svg') && element.localName !== 'text';
      if (!hasText || isDrawn || element.matches('script, :disabled') || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const text = light(parse(element.localName === 'text' ? style.fill : style.color));
      const chip = element.localName === 'text' && element.parentElement.querySelector('rect');
      const ground = light(chip ? parse(getComputedStyle(chip).fill) : groundOf(element));
      const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      if (contrast < least && !element.matches('.bang')) {
        found.add(`${element.localName}.${element.getAttribute('class') ?? ''} ${contrast.toFixed(1)}`);
      }
    }
    return [...found];
  }, LEAST_CONTRAST);
  say(poor.length === 0, `poor contrast in ${scheme}: ${poor.slice(0, 5).join(', ')}`);
}
