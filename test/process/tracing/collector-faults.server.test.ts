import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { COMPILE_CACHE, SHORT_LIVED } from '../../support/node-arguments.ts';
import { LATEST } from '../../support/service/chaos.ts';
import { type Collector, startCollector } from '../../support/upstream/collector.ts';
import { openTracingStand, type TracingStand } from './stand.ts';

/** More spans than a batch has: the export starts immediately. */
const CALLS = 300;

let stand: TracingStand;
let collector: Collector | undefined;
beforeAll(async () => {
  stand = await openTracingStand();
});
afterEach(async () => {
  await collector?.close();
  collector = undefined;
});
afterAll(() => stand?.close());

const start = (endpoint: string) =>
  stand.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
    // Shorter than the pause before a retry.
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });

/** The statuses of many calls. */
async function call({ get, post }: Awaited<ReturnType<typeof start>>) {
  const created = await post('/v1/user/create?name=Ada&email=ada@example.org&plan=monthly');
  const { apiKey } = (await created.json()) as { apiKey: string };
  const statuses = new Set<number>();
  for (let i = 0; i < CALLS; i++) statuses.add((await get(LATEST, { 'x-api-key': apiKey })).status);
  return [...statuses];
}

it('a collector that rejects spans affects no call, and is logged', async () => {
  collector = await startCollector((response) => response.writeHead(500).end('no'));
  const service = await start(collector.url);
  expect(await call(service)).toEqual([200]);
  await collector.exports(1);
  const line = JSON.parse(await service.logged(/upstream failed/));
  const reported = { upstream: 'collector', cause: 'refused', reason: 'collector: status 500' };
  expect(line).toMatchObject({ level: 40, ...reported, work: { 'trace export': 1 } });
  expect(await call(service)).toEqual([200]);
  expect(await service.stop()).toBe(0);
  expect(service.lines.join('\n')).not.toContain('secret');
});

it('a collector that never responds affects no call, and does not delay the stop', async () => {
  collector = await startCollector(() => undefined);
  const service = await start(collector.url);
  expect(await call(service)).toEqual([200]);
  await collector.exports(1);
  expect(await call(service)).toEqual([200]);
  expect(await service.stop()).toBe(0);
  expect(service.lines.filter((line) => /killed|exiting/.test(line))).toEqual([]);
});

it('without a collector, the SDK is not loaded', async () => {
  const args = [...SHORT_LIVED, '--import', './test/process/tracing/module-log.js', 'src/serve.ts'];
  const isSdk = (line: string) => /^loaded .*@opentelemetry\/(?!api\/)/.test(line);
  const off = await stand.start(COMPILE_CACHE, args);
  expect(await call(off)).toEqual([200]);
  expect(await off.stop()).toBe(0);
  expect(off.lines.filter((line) => line.startsWith('loaded ')).length).toBeGreaterThan(500);
  expect(off.lines.filter(isSdk)).toEqual([]);

  collector = await startCollector();
  const on = await stand.start({ ...COMPILE_CACHE, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, args);
  expect(await on.stop()).toBe(0);
  expect(on.lines.filter(isSdk).length).toBeGreaterThan(5);
});
