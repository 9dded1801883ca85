import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { sandboxTokens } from '#sandbox/tokens';
import { sandboxPairs } from '../../../fixtures/sandbox-tokens.ts';
import { stopService, useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { openTestDatabase } from '../../support/database/database.ts';
import { startService } from '../../support/service/service.ts';
import { pricesOn } from './prices-page.ts';

/** The tokens that the operator can add to the built-in ones. */
const ADDED = [...sandboxTokens().values()].slice(BUILT_IN_TOKENS.length);
const addedAt = (place: number) => ADDED[place] as (typeof ADDED)[number];

/** The maximum layout shift, as Chromium measures it. Below 0.1 is good. */
const SHIFT = 0.05;

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
let prices: ReturnType<typeof pricesOn>;
beforeAll(async () => {
  [small, large] = await Promise.all([serve(7), serve(995)]);
});
afterAll(async () => {
  await small?.stop();
  await large?.stop();
});

async function open(service: typeof small, options: Parameters<typeof opened.visit>[0] = {}): Promise<void> {
  here = await opened.visit({ service, key: service.key, ...options });
  prices = pricesOn(here.page);
}

it('loads ten tokens for one call, and more at the displayed cost, until all are loaded', async () => {
  await open(small);
  const { page } = here;
  expect(await prices.rows.count()).toBe(10);
  await prices.button('Show 2 more: 1 call').click();
  await expect.poll(() => prices.rows.count()).toBe(12);
  await here.settled();
  expect(await prices.costs()).toBe('A refresh costs 2 calls.');
  await prices.search(' BTC ');
  expect(await prices.names()).toEqual(['Bitcoin']);
  await prices.panel.getByText('1 of 12 tokens matches.').waitFor();
  await prices.refresh();
  await here.settled();
  await prices.search('');
  expect(await prices.prices()).toEqual(Array.from({ length: 12 }, () => expect.stringMatching(/^\$/)));
  expect(await page.getByRole('button', { name: /^Show \d/ }).count()).toBe(0);

  // A token that is no longer served disappears at the next refresh.
  const { name, title } = addedAt(3);
  await prices.select(title);
  await here.settled();
  await small.tokens.remove(name, Date.now());
  await small.parts.poll();
  await prices.refresh();
  await expect.poll(() => prices.rows.count()).toBe(11);
  await here.settled();
  expect(await prices.panel.getByRole('alert').innerText()).toBe('');
  await page.getByRole('heading', { name: 'Bitcoin history' }).waitFor();
  expect(await prices.row(title).count()).toBe(0);
});

it('finds a token that is not loaded, and loads it when it is selected', async () => {
  const { title, symbol } = addedAt(900);
  const before = await large.used();
  await open(large);
  await prices.panel.getByText('10 of 1,000 tokens.').waitFor();
  expect((await large.used()) - before).toBe(1);
  await prices.search(symbol);
  expect(await prices.figures(title)).toEqual(['–', '–', '–', '–', '–']);
  await prices.select(title);
  await here.page.getByRole('heading', { name: `${title} history` }).waitFor();
  await here.settled();
  await expect.poll(() => prices.figures(title)).toContainEqual(expect.stringMatching(/^\$/));
  // One call each for the chart and the price. The token has no statistics.
  expect((await large.used()) - before).toBe(3);
  await prices.search('');
  expect(await prices.rows.count()).toBe(11);

  await prices.search('a');
  await expectSoundLooks(here.page, 'the table', [320, 768, 1920], '.prices-table');
  await here.page.getByLabel('Search tokens').focus();
  await here.page.keyboard.press('Tab');
  await here.page.keyboard.press('Enter');
  await expect
    .poll(() => here.page.locator(':focus').getAttribute('role'), { message: 'the table is skipped' })
    .toBe('slider');

  // The token that a link names is part of the first call.
  const linked = addedAt(902);
  await here.go(`/?token=${linked.symbol}`);
  expect(await prices.figures(linked.title)).toContainEqual(expect.stringMatching(/^\$/));
  expect(await prices.rows.count()).toBe(10);
  expect((await large.used()) - before, 'the prices and the chart').toBe(5);
});

/** Measures a page from its first paint on. The times are printed, not tested, because they depend on the machine. */
const MEASURE = `
  globalThis.measured = { shift: 0, paint: 0, interaction: 0 };
  const observe = (type, note, options = {}) => {
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...options });
  };
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) measured.shift += value; });
  observe('largest-contentful-paint', ({ startTime }) => { measured.paint = startTime; });
  observe('event', ({ duration, interactionId }) => {
    if (interactionId) measured.interaction = Math.max(measured.interaction, duration);
  }, { durationThreshold: 16 });
`;

it('does not shift while the catalogue of a thousand tokens loads', async () => {
  here = await opened.visit({ service: large, viewport: { width: 1280, height: 900 } });
  prices = pricesOn(here.page);
  const { page } = here;
  const measured = () => page.evaluate<{ shift: number; paint: number; interaction: number }>('globalThis.measured');
  await page.addInitScript(MEASURE);
  await page.reload();
  await page.locator('.sample.loaded').waitFor();
  const welcome = await measured();
  expect(welcome.shift).toBeLessThan(SHIFT);
  await here.open(large.key);
  for (const width of [390, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    await here.settled();
    const search = page.getByLabel('Search tokens');
    await search.pressSequentially('token');
    await search.clear();
    if (width === 390) await page.getByLabel('Sort').selectOption('Price, highest first');
    else await prices.head('Price').getByRole('button').click();
    await prices.select('Solana');
    await here.settled();
    const { shift, paint, interaction } = await measured();
    const figures = `paint ${Math.round(paint)} ms, shift ${shift.toFixed(3)}, interaction ${interaction} ms`;
    console.log(`prices at ${width} px: ${figures}`);
    expect(shift, `${width} px`).toBeLessThan(SHIFT);
  }
});
