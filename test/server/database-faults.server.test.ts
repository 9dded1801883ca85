import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { mintApiKey } from '#keys/api-key';
import { startSandbox } from '#sandbox/server';
import { freePort } from '../../bench/stand/free-port.ts';
import { canStartPostgres, startPostgresServer } from '../../fixtures/postgres-server.ts';
import { statisticsSettings } from '../../fixtures/statistics-settings.ts';
import { startRefusingServer } from '../support/database/refusing-server.ts';
import { startStallingProxy } from '../support/database/stalling-proxy.ts';
import { seriesOf } from '../support/service/metrics.ts';
import { startServiceProcess } from '../support/service/service-process.ts';

/** The deadline of 5 s, and a margin for a busy machine. A longer call counts as hanging. */
const PATIENCE = 7 * SECOND;
const SCRAPE_TIMEOUT = 10 * SECOND;

/** A service with its own server, under a role without superuser rights, and a superuser connection. */
async function startOnOwnServer() {
  const server = await startPostgresServer();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  // The last test stops the server.
  admin.on('error', () => undefined);
  await admin.query('CREATE ROLE app LOGIN; GRANT ALL ON SCHEMA public TO app');
  const asApp = new URL(server.url);
  asApp.username = 'app';
  const proxy = await startStallingProxy(asApp.href);
  const sandbox = await startSandbox({});
  const metricsPort = await freePort();
  const service = await startServiceProcess({
    DATABASE_URL: proxy.url,
    METRICS_PORT: String(metricsPort),
    COINGECKO_URL: sandbox.coingeckoUrl,
    KRAKEN_URL: sandbox.krakenUrl,
    EXCHANGE_RATES_URL: sandbox.exchangeRatesUrl,
    ...statisticsSettings(sandbox),
  });

  async function send(path: string, { key, method = 'GET' }: { key?: string; method?: string } = {}) {
    const headers = key === undefined ? undefined : { 'x-api-key': key };
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(service.url + path, { method, signal, ...(headers && { headers }) });
    const body = response.status === 204 ? {} : ((await response.json()) as { code?: string; apiKey?: string });
    if (response.status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    return { received: body.code ?? response.status, apiKey: body.apiKey ?? '' };
  }
  const create = () => send('/v1/user/create?name=Ada&email=ada@example.org&plan=monthly', { method: 'POST' });

  return {
    server,
    admin,
    proxy,
    create,
    ready: async () => (await send('/health/ready')).received,
    /** The series of a scrape. Rejects after Prometheus' default timeout. */
    async series() {
      const signal = AbortSignal.timeout(SCRAPE_TIMEOUT);
      return seriesOf(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { signal })).text());
    },
    /** Ends all sessions of the service, so that new ones have the role's changed settings. */
    reconnect: () => admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'"),

    /** The responses to all calls that must write, sent concurrently: with a known key, and without one. */
    async writing(key: string) {
      const requests = {
        create: create(),
        rotate: send('/v1/user/rotate', { key, method: 'POST' }),
        renew: send('/v1/user/renew', { key, method: 'POST' }),
        erase: send('/v1/user', { key, method: 'DELETE' }),
        latest: send('/v1/prices/latest/token?tokenName=bitcoin', { key }),
        days: send('/v1/prices/history/days?tokenName=bitcoin&days=30', { key }),
        statistics: send('/v1/prices/latest/stats?token=btc', { key }),
        ready: send('/health/ready'),
      };
      const received = Object.entries(requests).map(async ([name, response]) => [name, (await response).received]);
      return Object.fromEntries(await Promise.all(received)) as Record<keyof typeof requests, string | number>;
    },

    /** Like `writing`, for calls that only read. */
    async reading(key: string) {
      const requests = {
        usage: send('/v1/user/usage', { key }),
        unknown: send(`/v1/user/data?api=${mintApiKey()}`),
        tokens: send('/v1/tokens'),
      };
      const received = Object.entries(requests).map(async ([name, response]) => [name, (await response).received]);
      return Object.fromEntries(await Promise.all(received)) as Record<keyof typeof requests, string | number>;
    },

    async close(): Promise<void> {
      await service.kill();
      await sandbox.close();
      await proxy.close();
      await admin.end();
      await server.close();
    },
  };
}

const UNAVAILABLE = 'database_unavailable';
const allUnavailable = (received: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(received).map((name) => [name, UNAVAILABLE]));

const SET_READ_ONLY = 'ALTER ROLE app SET default_transaction_read_only = on';
const SET_WRITABLE = 'ALTER ROLE app RESET default_transaction_read_only';
const FORBID = 'REVOKE ALL ON ALL TABLES IN SCHEMA public FROM app';
const ALLOW = 'GRANT ALL ON ALL TABLES IN SCHEMA public TO app';
/** The error of every writing statement when no page can be added. */
const FILL = `
  CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TRIGGER no_room BEFORE INSERT OR UPDATE ON %I EXECUTE FUNCTION no_room()', name);
    END LOOP; END $$`;
const EMPTY = 'DROP FUNCTION no_room CASCADE';

describe.runIf(canStartPostgres)('a reachable database', () => {
  let own: Awaited<ReturnType<typeof startOnOwnServer>>;
  beforeAll(async () => {
    own = await startOnOwnServer();
  });
  afterAll(() => own?.close());
  const expectUnavailable = (apiKey: string) =>
    expect
      .poll(() => own.writing(apiKey), { timeout: 30_000 })
      .toSatisfy((responses) => JSON.stringify(responses) === JSON.stringify(allUnavailable(responses)));

  it('that does not respond: every call reports it within the deadline, and the service recovers without a restart', async () => {
    const { apiKey } = await own.create();
    expect((await own.reading(apiKey)).usage).toBe(200);
    own.proxy.stall();
    // Sent first, so that its statements get the hanging connections.
    const scrape = own.series();
    const [writing, reading] = await Promise.all([own.writing(apiKey), own.reading(apiKey)]);
    const series = await scrape;
    expect(series.get('quotient_database_up')).toBe(0);
    expect(series.has('quotient_lease_rows{state="open"}')).toBe(false);
    expect({ ...writing, ...reading, tokens: UNAVAILABLE }).toEqual(allUnavailable({ ...writing, ...reading }));
    own.proxy.resume();
    // The hanging connections are abandoned: they never receive a response.
    await expect.poll(() => own.create().then(({ received }) => received), { timeout: 40_000 }).toBe(201);
  });

  it.each([
    ['that is read-only', SET_READ_ONLY, SET_WRITABLE],
    ['that is full', FILL, EMPTY],
    ['that denies access', FORBID, ALLOW],
  ])('%s: calls that write report it, and the service recovers without a restart', async (_what, breaking, mending) => {
    const { received, apiKey } = await own.create();
    expect(received).toBe(201);
    expect(await own.reading(apiKey)).toEqual({ usage: 200, unknown: 'api_key_invalid', tokens: 200 });
    await own.admin.query(breaking);
    await own.reconnect();
    await expectUnavailable(apiKey);
    const reading = Object.values(await own.reading(apiKey));
    expect(reading.filter((code) => ![200, 'api_key_invalid', UNAVAILABLE].includes(code))).toEqual([]);
    await own.admin.query(mending);
    await own.reconnect();
    await expect.poll(() => own.create().then(({ received }) => received), { timeout: 30_000 }).toBe(201);
    await expect.poll(own.ready, { timeout: 30_000 }).toBe(200);
    expect((await own.reading(apiKey)).unknown).toBe('api_key_invalid');
  });

  it('that stops: every call that requires it reports it, also while it starts, and the service recovers without a restart', async () => {
    const { apiKey } = await own.create();
    await own.server.stop('immediate');
    await expectUnavailable(apiKey);
    // As in a database recovery, the server accepts connections and rejects them.
    const port = Number(new URL(own.server.url).port);
    const refusing = await startRefusingServer('57P03', 'the database system is starting up', port);
    await expectUnavailable(apiKey);
    const reading = await own.reading(apiKey);
    expect({ ...reading, tokens: UNAVAILABLE }).toEqual(allUnavailable(reading));
    await refusing.close();
    await own.server.start();
    await expect.poll(() => own.create().then(({ received }) => received), { timeout: 30_000 }).toBe(201);
    await expect.poll(own.ready, { timeout: 30_000 }).toBe(200);
  });
});
