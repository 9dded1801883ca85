import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, iso, MINUTE } from '#core/clock';
import { complaintsOf, launchBrowser } from '../../support/browser/browser.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { type Service, startService } from '../../support/service/service.ts';

const WIDTHS = [320, 1280];

let database: TestDatabase;
let service: Service;
let browser: Browser;
beforeAll(async () => {
  database = await openTestDatabase();
  const now = Date.now();
  const incident = (component: string, state: string, reason: string, age: number, length?: number) => {
    const [start, end] = [iso(now - age), length === undefined ? null : iso(now - age + length)];
    return database.prisma.$executeRaw`
      INSERT INTO incident (component, state, reason, started_at, ended_at)
      VALUES (${component}, ${state}, ${reason}, ${start}::timestamptz, ${end}::timestamptz)`;
  };
  await incident('prices', 'degraded', 'source_failing', 12 * DAY, 95 * MINUTE);
  await incident('database', 'down', 'database_unavailable', 5 * DAY, 4 * MINUTE);
  await incident('statistics', 'degraded', 'all_sources_failing', 3 * HOUR);
  await database.prisma.$executeRaw`INSERT INTO refresh (resource, version) VALUES ('incidents', 1)`;
  service = await startService({
    database,
    settings: { NODE_URLS: 'http://127.0.0.1:9', MARKET_SOURCES: 'coingecko' },
  });
  await service.parts.poll();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await database?.close();
});

it('shows the components, their days and the incidents at each width, and in forced colors', async () => {
  const page = await browser.newPage();
  const complaints = await complaintsOf(page, new URL(service.url).origin);
  await page.goto(`${service.url}/status`);
  expect(await page.locator('.components li').count()).toBe(5);
  expect(await page.locator('.incidents li').allInnerTexts()).toEqual([
    expect.stringMatching(/^On-chain statistics: degraded .* ongoing for 3 hours/),
    expect.stringMatching(/^Database: down .* lasted 4 minutes/),
    expect.stringMatching(/^Prices: degraded .* lasted 1 hour 35 minutes/),
  ]);
  expect(await page.getByRole('img', { name: /^Last 30 days: down on \d+ \w+ \d+;/ }).count()).toBe(1);
  expect(await page.locator('.day.bad').count()).toBe(1);
  await expectSoundLooks(page, 'incidents', WIDTHS);
  await page.emulateMedia({ forcedColors: 'active' });
  await expectSoundLooks(page, 'forced colors', WIDTHS);
  const heights = await page.evaluate(
    "['.day.none', '.day.good', '.day.fair', '.day.bad'].map((one) => document.querySelector(one).getBoundingClientRect().height)",
  );
  expect(heights).toEqual([...(heights as number[])].sort((a, b) => a - b));
  expect(complaints).toEqual([]);
  await page.close();
});

it('replaces the components and the incidents when the user returns to the page', async () => {
  const page = await browser.newPage();
  await page.goto(`${service.url}/status`);
  service.parts.outcomes.note('node-1', 'timeout');
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.locator('.components .bad', { hasText: 'Node' }).waitFor();
  await page.close();
});

it('needs no script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${service.url}/status`);
  expect(await page.locator('.components li').count()).toBe(5);
  expect(await page.locator('.incidents li').count()).toBe(3);
  await context.close();
});
