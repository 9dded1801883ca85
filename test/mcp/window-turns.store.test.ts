import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScrape } from '../support/service/metrics.ts';
import { callTool, type McpService, openMcpService } from './open.ts';

let service: McpService;
let key: string;
let otherKey: string;
beforeAll(async () => {
  service = await openMcpService({ UPSTREAM_TIMEOUT_MS: '120000', METRICS_PORT: '0' });
  [key, otherKey] = [await service.createUser(), await service.createUser()];
});
afterAll(() => service?.close());

const today = new Date().toISOString().slice(0, 10);
const FULL = { fromDate: '2013-05-01', thruDate: today };

it.each([
  ['get_price_history', 'ethereum'],
  ['get_candles', 'arweave'],
])(
  "%s of the full range waits for the user's earlier large response, and is not built if its client leaves",
  async (name, slow) => {
    const scrape = await openScrape(service);
    const cancelled = async () =>
      (await scrape.series()).get(`quotient_mcp_calls_total{tool="${name}",result="cancelled"}`) ?? 0;
    const earlier = await cancelled();
    const call = (apiKey: string, tokenName = 'bitcoin', signal?: AbortSignal) =>
      callTool(service.url, apiKey, name, { tokenName, ...FULL }, signal && { signal });
    await call(key);

    const hold = service.sandbox.faults.hold({ path: slow });
    const path = `/v1/prices/history/date/range?tokenName=${slow}&fromDate=2013-05-01&thruDate=${today}`;
    const large = service.get(path, { key });
    await hold.arrived(1);
    const order: string[] = [];
    const waiting = call(key).then(() => order.push('waiting'));
    const client = new AbortController();
    const left = call(key, 'solana', client.signal).catch(() => 'left');
    // Another user does not wait.
    await call(otherKey).then(() => order.push('other'));
    client.abort();
    expect(await left).toBe('left');
    await expect.poll(cancelled).toBe(earlier + 1);
    expect(order).toEqual(['other']);

    hold.release();
    expect((await large).status).toBe(200);
    await waiting;
    expect(order).toEqual(['other', 'waiting']);
    const calls = service.sandbox.calls.filter(
      ({ path, query }) => /chart|ohlc/i.test(path) && /sol/i.test(`${path} ${query.pair}`),
    );
    expect(calls).toEqual([]);
    await scrape.close();
  },
);
