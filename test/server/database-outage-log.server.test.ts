import { describe, type ExpectStatic, it } from 'vitest';
import { SECOND } from '#core/clock';
import { mintApiKey } from '#keys/api-key';
import { startSandbox } from '#sandbox/server';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { findPgBouncer, startPooler } from '../support/database/pooler.ts';
import { startStallingProxy } from '../support/database/stalling-proxy.ts';
import { hammer, PRICED } from '../support/service/hammer.ts';
import { startServiceProcess } from '../support/service/service-process.ts';

type Line = { time: number; msg: string; cause?: string; count?: number; durationMs?: number };
type Server = Awaited<ReturnType<typeof startPostgresServer>>;

/** A fault of the service's database server, and its end. */
type Outage = {
  begin: () => Promise<void>;
  end: () => Promise<void>;
  url?: string;
  close?: () => Promise<void>;
};

/**
 * The number of rejected calls before an outage ends. They take a second, or five seconds if each waits for its
 * response.
 */
const REFUSED = 50;

function stopped(server: Server, mode: 'fast' | 'immediate'): Outage {
  return { begin: () => server.stop(mode), end: server.start };
}

async function stalled(server: Server): Promise<Outage> {
  const proxy = await startStallingProxy(server.url);
  const { url, close } = proxy;
  return { url, close, begin: async () => proxy.stall(), end: async () => proxy.resume() };
}

async function pooled(server: Server): Promise<Outage> {
  const { url, close } = await startPooler(server.url);
  return { ...stopped(server, 'fast'), url: `${url}postgres`, close };
}

/** The log lines of a service from the beginning of an outage under load to its recovery. */
async function linesOf(expect: ExpectStatic, open: (server: Server) => Outage | Promise<Outage>): Promise<Line[]> {
  const server = await startPostgresServer();
  const outage = await open(server);
  const sandbox = await startSandbox();
  const service = await startServiceProcess({
    DATABASE_URL: outage.url ?? server.url,
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
  });
  const created = await fetch(`${service.url}/v1/user/create?name=Ada&email=ada@example.org&plan=monthly`, {
    method: 'POST',
  });
  const { apiKey } = (await created.json()) as { apiKey: string };
  // The price is in memory from now on.
  expect((await fetch(service.url + PRICED, { headers: { 'x-api-key': apiKey } })).status).toBe(200);
  const before = service.lines.length;
  try {
    await outage.begin();
    // An unknown key, and a key whose lease ends.
    const load = [mintApiKey(), apiKey].map((key) => hammer(service.url, key, { connections: 20, everyMs: 200 }));
    const refused = () => load.reduce((sum, { count }) => sum + count(503), 0);
    await expect.poll(refused, { timeout: 40 * SECOND }).toBeGreaterThan(REFUSED);
    await outage.end();
    await service.logged(/"database recovered"/);
    await Promise.all(load.map(({ stop }) => stop()));
    return service.lines.slice(before).map((line) => JSON.parse(line) as Line);
  } finally {
    await service.kill();
    await sandbox.close();
    await outage.close?.();
    await server.close();
  }
}

const OUTAGES: [string, (server: Server) => Outage | Promise<Outage>, string][] = [
  ['that crashes', (server) => stopped(server, 'immediate'), 'unreachable'],
  ['that does not respond', stalled, 'timeout'],
];
if (findPgBouncer()) OUTAGES.push(['that stops behind PgBouncer', pooled, '']);

describe.runIf(canStartPostgres).concurrent('a database', () => {
  it.for(OUTAGES)(
    '%s is logged in one line per cause and ten seconds, and in one line at the recovery',
    {
      timeout: 120_000,
    },
    async ([, open, expected], { expect }) => {
      const lines = await linesOf(expect, open);
      expect(lines.at(-1)).toMatchObject({ msg: 'database recovered', durationMs: expect.any(Number) });
      const failed = lines.slice(0, -1);
      expect(new Set(failed.map(({ msg }) => msg))).toEqual(new Set(['database failed']));
      if (expected) expect(failed.map(({ cause }) => cause)).toContain(expected);
      for (const [cause, ofCause] of Map.groupBy(failed, (line) => line.cause)) {
        const times = ofCause.map(({ time }) => time);
        const apart = times.slice(1).map((time, i) => time - (times[i] as number));
        expect({ cause, soonest: Math.min(10 * SECOND, ...apart) }).toEqual({ cause, soonest: 10 * SECOND });
      }
    },
  );
});
