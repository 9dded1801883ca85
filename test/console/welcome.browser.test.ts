import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { MarketSample } from '#prices/latest/records';
import { openTestConsole, type TestConsole, visit } from '../support/browser/console.ts';
import { expectSoundLooks } from '../support/browser/looks.ts';
import { startService } from '../support/service/service.ts';

let opened: TestConsole;
beforeAll(async () => {
  opened = await openTestConsole({ BASE_PATH: '/market' });
});
afterAll(() => opened?.close());

const MEASURE_SHIFT = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

it('shows real prices without a sign-in or a layout shift, and the call that returns them', async () => {
  const { browser, service } = opened;
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.addInitScript(MEASURE_SHIFT);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.goto(`${service.url}/`);
  const sample = page.getByRole('region', { name: 'Bitcoin' });
  await sample.waitFor();
  expect(await page.evaluate('globalThis.shift')).toBeLessThan(0.01);

  const { latest } = (await (await service.get('/v1/sample')).json()) as MarketSample;
  const price = Math.round(Number(latest.current_price)).toLocaleString('en-US');
  expect(await sample.innerText()).toContain(`$${price}`);
  expect(await sample.innerText()).toMatch(/As of \d{1,2}:\d\d [AP]M, .+ ago/);
  expect(await sample.getByRole('img').getAttribute('aria-label')).toMatch(/^Bitcoin, last 30 days: from \$/);
  expect(await sample.locator('path').getAttribute('d')).toMatch(/^M(\d+\.\d \d+\.\d)(L\d+\.\d \d+\.\d){30}$/);

  await sample.getByRole('button', { name: 'Copy' }).click();
  const call = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(call).toBe(`curl ${service.url}/v1/sample`);
  expect(await sample.innerText()).toContain(call);
  expect(await sample.innerText()).toContain('"tokenName": "bitcoin"');
  await expectSoundLooks(page, 'welcome', [320, 1440]);

  expect(sent.filter((url) => url.endsWith('/v1/sample'))).toHaveLength(1);
  const key = await service.createUser();
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#dashboard').waitFor();
  await context.close();
});

it('omits the sample if there are no prices', async () => {
  const service = await startService({
    consoleFolder: inject('consoleFolder'),
    settings: { MARKET_SOURCES: 'coingecko' },
  });
  service.sandbox.faults.always({ kind: 'status', status: 404, body: {} });
  const here = await visit(opened.browser, service.url);
  try {
    await here.page.locator('#sample').waitFor({ state: 'detached' });
    expect(await here.page.locator('#welcome').innerText()).toContain('Get a key');
    expect(await here.page.getByRole('alert').allInnerTexts()).not.toContainEqual(expect.stringMatching(/./));
    expect(here.complaints).toEqual([]);
  } finally {
    await here.close();
    await service.close();
  }
});
