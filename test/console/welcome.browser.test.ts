import { expect, it } from 'vitest';
import type { MarketSample } from '#prices/latest/latest-records';
import { useConsole } from '../support/browser/console.ts';

const opened = useConsole({ BASE_PATH: '/market' });

const MEASURE_SHIFT = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

it('shows real prices without a sign-in or a layout shift, and the call that returns them', async () => {
  const { service } = opened;
  const here = await opened.visit({
    permissions: ['clipboard-read', 'clipboard-write'],
    prepare: (page) => page.addInitScript(MEASURE_SHIFT),
  });
  const { page } = here;
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

  expect(here.requests.filter((url) => url.endsWith('/v1/sample'))).toHaveLength(1);
  await here.open(await service.createUser());
});

it('omits the sample if there are no prices', async () => {
  const service = await opened.serve({ settings: { MARKET_SOURCES: 'coingecko' } });
  service.sandbox.faults.always({ kind: 'status', status: 404, body: {} });
  const { page } = await opened.visit({ service });
  await page.locator('#sample').waitFor({ state: 'detached' });
  expect(await page.locator('#welcome').innerText()).toContain('Get a key');
  expect(await page.getByRole('alert').allInnerTexts()).not.toContainEqual(expect.stringMatching(/./));
});
