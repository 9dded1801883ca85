import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { sandboxTokens } from '#sandbox/tokens';
import { sandboxPairs } from '../../fixtures/sandbox-tokens.ts';
import { stopService, useConsole, type Visit } from '../support/browser/console.ts';
import { expectSoundLooks } from '../support/browser/looks.ts';
import { openTestDatabase } from '../support/database/database.ts';
import { startService } from '../support/service/service.ts';

/** The tokens that the operator can add to the built-in ones. */
const ADDED = [...sandboxTokens().values()].slice(BUILT_IN_TOKENS.length);

/** The maximum layout shift, as Chromium measures it. Below 0.1 is good. */
const SHIFT = 0.1;

/** Starts a service with the built-in tokens and `added` more. */
async function serve(added: number) {
  const database = await openTestDatabase();
  const data = ADDED.slice(0, added).map(({ name, symbol, title, begins, listed, ...pairs }) => ({
    name,
    symbol,
    title,
    pairs: sandboxPairs(pairs),
    begins: new Date(begins),
    listed: new Date(listed),
  }));
  await database.prisma.token.createMany({ data });
  const service = await startService({ database, consoleFolder: inject('consoleFolder') });
  const key = await service.createUser();
  return {
    ...service,
    key,
    tokens: createTokenStore(database.prisma),
    used: () => service.used(key),
    async stop(): Promise<void> {
      await stopService(service);
      await database.close();
    },
  };
}

const opened = useConsole();
let small: Awaited<ReturnType<typeof serve>>;
let large: Awaited<ReturnType<typeof serve>>;
let here: Visit;
beforeAll(async () => {
  small = await serve(7);
  large = await serve(995);
});
afterAll(async () => {
  await small?.stop();
  await large?.stop();
});

async function open(service: typeof small, path = '/'): Promise<void> {
  here = await opened.visit({ service, key: service.key, path });
}

const text = (id: string) => here.page.locator(`#${id}`).innerText();
const rows = () => here.page.locator('#prices-body tr');
const search = (typed: string) => here.page.getByLabel('Search tokens').fill(typed);
const figuresOf = (title: string) => rows().filter({ hasText: title }).locator('td').allInnerTexts();

it('has a search box for ten or more tokens', async () => {
  await open(small);
  expect(await rows().count()).toBe(10);
  await here.page.getByRole('button', { name: 'Show 2 more: 1 call' }).click();
  await expect.poll(() => rows().count()).toBe(12);
  await here.settled();
  expect(await text('cost')).toContain('2 for the prices (one for every ten tokens)');
  await search(' BTC ');
  expect(await rows().locator('.name').allInnerTexts()).toEqual(['Bitcoin']);
  expect(await text('prices-size')).toBe('1 of 12 tokens matches.');
  await search('no such name');
  expect(await rows().count()).toBe(0);
  expect(await text('prices-size')).toBe('No token matches “no such name”.');
  await search('sol');
  await here.page.getByRole('button', { name: 'Refresh' }).click();
  await here.settled();
  await search('');
  expect(await rows().locator('.price').allInnerTexts()).toEqual(
    Array.from({ length: 12 }, () => expect.stringMatching(/^\$/)),
  );
  expect(await here.page.locator('#more').isVisible()).toBe(false);
});

it('loads ten of a thousand tokens for one call, and more at the displayed cost', async () => {
  const before = await large.used();
  await open(large);
  expect(await rows().count()).toBe(10);
  expect(await text('prices-size')).toBe('10 of 1,000 tokens.');
  expect(await text('cost')).toContain('Refresh costs 1 call: 1 for the prices');
  expect((await large.used()) - before).toBe(1);
  const caps = await rows().locator('td:nth-child(4)').allInnerTexts();
  expect(caps.every((cap) => /^(\$[\d.,]+[TBMK]?|–)$/.test(cap))).toBe(true);

  await here.page.getByRole('button', { name: 'Show 100 more: 10 calls' }).click();
  await expect.poll(() => rows().count()).toBe(110);
  await here.settled();
  expect((await large.used()) - before).toBe(11);
  expect(await text('cost')).toContain('Refresh costs 11 calls: 11 for the prices');
  expect(await here.page.locator('#prices-scroll').evaluate((box) => Reflect.get(box, 'scrollTop'))).toBe(0);
});

it('finds a token that is not loaded, and loads it when it is selected', async () => {
  const { title, symbol, name } = ADDED[900] as (typeof ADDED)[number];
  await open(large);
  const before = await large.used();
  await search(symbol);
  expect(await figuresOf(title)).toEqual(['–', '–', '–', '–']);
  await here.page.getByRole('button', { name: title }).click();
  await here.page.getByRole('heading', { name: `${title} history` }).waitFor();
  await here.settled();
  await expect.poll(() => figuresOf(title)).toContainEqual(expect.stringMatching(/^\$/));
  // One call each for the chart and the price. The token has no statistics.
  expect((await large.used()) - before).toBe(2);
  expect(here.requests.map(decodeURIComponent)).toContain(`${large.url}/v1/prices/latest/tokens?tokenNames=${name}`);
  await search('');
  expect(await rows().count()).toBe(11);
});

/** Measures a page from its first paint on. */
const MEASURE = `
  globalThis.measured = { shift: 0, paint: 0 };
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) measured.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) measured.paint = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
`;

it('does not shift while the catalogue of a thousand tokens loads', async () => {
  here = await opened.visit({ service: large, viewport: { width: 1280, height: 900 } });
  await here.page.addInitScript(MEASURE);
  await here.page.reload();
  await here.page.locator('.sample.loaded').waitFor();
  const measured = () => here.page.evaluate<{ shift: number; paint: number }>('globalThis.measured');
  const welcome = await measured();
  expect(welcome.shift).toBeLessThan(SHIFT);
  const inWords = ({ shift, paint }: typeof welcome) =>
    `largest paint after ${Math.round(paint)} ms, shift ${shift.toFixed(3)}`;
  console.log(`welcome: ${inWords(welcome)}`);
  await here.open(large.key);
  for (const width of [390, 1280, 1920]) {
    await here.page.setViewportSize({ width, height: 900 });
    await here.page.reload();
    await here.settled();
    const dashboard = await measured();
    console.log(`dashboard at ${width} px: ${inWords(dashboard)}`);
    expect(dashboard.shift, `${width} px`).toBeLessThan(SHIFT);
  }
});

it('drops a token that is no longer served at the next refresh', async () => {
  const { name, title } = ADDED[3] as (typeof ADDED)[number];
  await open(small);
  await here.page.locator('#more').click();
  await expect.poll(() => rows().count()).toBe(12);
  await here.page.getByRole('button', { name: title }).click();
  await here.settled();
  await small.tokens.remove(name, Date.now());
  await small.parts.poll();
  await here.page.getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(() => rows().count()).toBe(11);
  await here.settled();
  expect(await text('prices-problem')).toBe('');
  await here.page.getByRole('heading', { name: 'Bitcoin history' }).waitFor();
  expect(await rows().filter({ hasText: title }).count()).toBe(0);
});

it('includes the token that a link names in the first call', async () => {
  const { title, symbol } = ADDED[902] as (typeof ADDED)[number];
  const before = await large.used();
  await open(large, `/?token=${symbol}`);
  expect(await figuresOf(title)).toContainEqual(expect.stringMatching(/^\$/));
  expect(await rows().count()).toBe(10);
  expect((await large.used()) - before, 'the prices and the chart').toBe(2);
});

it('is accessible and fits the screen with a thousand tokens', async () => {
  await open(large);
  await search('a');
  await expectSoundLooks(here.page, 'the table', [320, 1920]);
});

it('lets keyboard users skip the table', async () => {
  await open(large);
  await here.page.getByLabel('Search tokens').focus();
  await here.page.keyboard.press('Tab');
  await here.page.keyboard.press('Enter');
  await expect.poll(() => here.page.evaluate('document.activeElement.id')).toBe('chart');
});
