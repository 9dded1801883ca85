import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { callTool, type McpService, openMcpService } from './open.ts';

let service: McpService;
let key: string;
let names: string[];
beforeAll(async () => {
  service = await openMcpService({ UPSTREAM_TIMEOUT_MS: '120000' });
  key = await service.createUser();
  names = await addSandboxTokens(service.database.prisma, 30);
  await service.parts.poll();
});
afterAll(() => service?.close());

const connections = () =>
  new Promise<number>((resolve) => service.app.server.getConnections((_error, count) => resolve(count)));

/** The timers of the process. Sockets belong to idle database connections or to the client of the test. */
const timers = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length;

const usage = async () => (await (await service.get('/v1/user/usage', { key })).json()) as { used: number };

it('200 disconnects leave no handle, and nothing is charged', async () => {
  await callTool(service.url, key, 'get_latest_prices', { tokenNames: ['btc'] });
  const { used } = await usage();
  const before = { timers: timers(), connections: await connections() };
  const hold = service.sandbox.faults.hold({ path: 'market_chart' });
  const cancelled: unknown[] = [];
  for (let round = 0; round < 10; round += 1) {
    const calls = Array.from({ length: 20 }, async (_, i) => {
      const client = new AbortController();
      const given = { tokenName: names[5 + ((round + i) % 20)], fromDate: '2025-12-01', thruDate: '2025-12-20' };
      const call = callTool(service.url, key, 'get_price_history', given, { signal: client.signal });
      // The call waits for the source, or is still on its way.
      setTimeout(() => client.abort(), 5 + (round % 20));
      await call.then(
        () => undefined,
        (error) => cancelled.push(error),
      );
    });
    await Promise.all(calls);
  }
  expect(cancelled).toHaveLength(200);
  hold.release();
  await service.parts.market.idle();
  await expect.poll(connections).toBeLessThanOrEqual(before.connections + 1);
  await expect.poll(timers).toBeLessThanOrEqual(before.timers + 2);
  await expect.poll(usage).toMatchObject({ used });
  expect(service.logLines.filter((line) => line.includes('"code":"internal_error"'))).toEqual([]);
});

it('calls on one connection leave no listener on its socket', async () => {
  const sockets = new Set<import('node:net').Socket>();
  service.app.server.on('connection', (socket) => sockets.add(socket));
  const listenersOf = () =>
    [...sockets].flatMap((socket) =>
      socket.destroyed ? [] : [socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0)],
    );
  for (let i = 0; i < 3; i += 1) await callTool(service.url, key, 'get_usage');
  const before = Math.max(0, ...listenersOf());
  for (let i = 0; i < 50; i += 1) await callTool(service.url, key, 'get_latest_prices', { tokenNames: ['btc'] });
  expect(Math.max(0, ...listenersOf())).toBeLessThanOrEqual(Math.max(before, 30));
});
