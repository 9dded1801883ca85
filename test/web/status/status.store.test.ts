import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '#core/problems';
import { createReadiness } from '#status/health-routes';
import type { statusRecord } from '#web/status/serve-status';
import { statusPage } from '#web/status/status-page';
import { openTestDatabase } from '../../support/database/database.ts';
import { type Service, startService } from '../../support/service/service.ts';

type StatusRecord = ReturnType<typeof statusRecord>;

const textOf = (html: string) =>
  (html.split('<main')[1] ?? '')
    .replace(/<(h|p|li|div|span|strong)\b/g, ' $&')
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ');

describe('the status page', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { BASE_PATH: '/market', MARKET_SOURCES: 'coingecko' } });
  });
  afterAll(() => service?.close());

  it('states that the service is serving, the time of the check, and the version', async () => {
    const before = Date.now();
    const page = await service.get('/status');
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(html).not.toMatch(/<style|<script>| style=| on[a-z]+=/);
    expect(textOf(html)).toContain('✓ Serving');
    expect(textOf(html)).toMatch(/version \d+\.\d+\.\d+/);
    const at = Date.parse(/datetime="([^"]+)"/.exec(html)?.[1] ?? '');
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(html).toContain('<a href="/market/status" aria-current="page">');
    for (const [, asset] of html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)="([^"]+)"/g))
      expect((await fetch(new URL(asset ?? '', service.url))).status, asset).toBe(200);
  });

  it('returns the same as JSON, and rejects other types with 406', async () => {
    const response = await service.get('/status', { headers: { accept: 'application/json' } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect([response.headers.get('cache-control'), response.headers.get('vary')]).toEqual([
      'no-store',
      expect.stringContaining('Accept'),
    ]);
    const { state, components, incidents } = (await response.json()) as StatusRecord;
    expect([state, incidents]).toEqual(['operational', []]);
    expect(components.map((one) => [one.name, one.state, one.days.length])).toEqual([
      ['prices', 'operational', 30],
      ['statistics', 'operational', 30],
      ['node', 'not_configured', 30],
      ['mail', 'not_configured', 30],
      ['database', 'operational', 30],
    ]);
    const html = await (await service.get('/status')).text();
    for (const { title } of components) expect(textOf(html)).toContain(title);
    expect((await service.get('/status', { headers: { accept: 'text/csv' } })).status).toBe(406);
  });

  it('has no data for the days before the service existed', async () => {
    await service.parts.poll();
    const response = await service.get('/status', { headers: { accept: 'application/json' } });
    const { components } = (await response.json()) as StatusRecord;
    for (const { name, state, days } of components) {
      expect(days.slice(0, -1).map((day) => day.state)).toEqual(Array.from({ length: 29 }, () => 'no_data'));
      expect([name, days.at(-1)?.state]).toEqual([name, state === 'not_configured' ? 'no_data' : 'operational']);
    }
    const html = await (await service.get('/status')).text();
    // The components with bars: prices, statistics and the database.
    expect(html.match(/class="day none"/g)).toHaveLength(3 * 29);
    expect(html.match(/class="day good"/g)).toHaveLength(3);
    expect(html).toMatch(/aria-label="Last 30 days: operational on \d+ \w+ \d{4}; no data on [^"]+ to [^"]+\."/);
  });

  it('does not claim that data is served if there is none', async () => {
    const html = await (await service.get('/status')).text();
    expect(textOf(html)).not.toMatch(/fetches succeeded|is served/);
  });

  it('answers HEAD as GET, and is not part of the API description', async () => {
    const head = await fetch(`${service.url}/status`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
    expect(await (await service.get('/openapi.json')).text()).not.toContain('"/status"');
  });

  it('describes the warnings of /health/ready in words when CoinGecko fails', async () => {
    service.sandbox.faults.always({ kind: 'status', status: 500, body: {} });
    const key = await service.createUser();
    expect((await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key })).status).toBe(503);
    const { warnings } = (await (await service.get('/health/ready')).json()) as { warnings: string[] };
    expect(warnings).toEqual(['latest: server_error']);
    const page = await service.get('/status');
    expect(page.status).toBe(200);
    const text = textOf(await page.text());
    expect(text).toMatch(/! Serving, with limits .*Latest prices CoinGecko returned an internal error\./);
    expect(text).toContain('No data is stored yet');
    expect(text).not.toContain('is served');
  });
});

it('is a page with 503 while the database is unreachable', async () => {
  const database = await openTestDatabase({ unshared: true });
  const service = await startService({ database });
  try {
    await database.close();
    const page = await service.get('/status');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(textOf(await page.text())).toContain('✕ Not serving The database ');
    const json = await service.get('/status', { headers: { accept: 'application/json' } });
    const { state, components } = (await json.json()) as StatusRecord;
    expect([json.status, state]).toEqual([200, 'down']);
    expect(components.find(({ name }) => name === 'database')).toMatchObject({
      state: 'down',
      reason: 'database_unavailable',
    });
  } finally {
    await service.close();
  }
});

it('responds with 503 while the process is stopping, regardless of the database', async () => {
  const readiness = createReadiness({
    checkDatabase: async () => undefined,
    isStopping: () => true,
    capabilities: [],
  });
  const problem = await readiness().catch((error: unknown) => error);
  expect(problem).toMatchObject({ status: 503, code: 'overloaded', headers: { 'retry-after': '1' } });
  const status = { problem: problem as Problem };
  expect(textOf(statusPage('', { status, report: { components: [], incidents: [], observed: [] } }, 0))).toContain(
    'This process is stopping.',
  );
});
