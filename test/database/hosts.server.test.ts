import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isDatabaseUnable } from '#database/connection/unreachable';
import { type Database, openDatabase } from '#database/database';
import { openSession } from '#database/session';
import {
  canStartPostgres,
  type PostgresServer,
  startPostgresServer,
  startStandby,
} from '../../fixtures/postgres-server.ts';
import { runHere } from '../cli/run-command.ts';

let primary: PostgresServer;
let standby: PostgresServer;
let silent: Server;
let opened: Database | undefined;

const open = async (hosts: string, session = 'read-write') => {
  const url = `postgresql://quotient@${hosts}/postgres?target_session_attrs=${session}`;
  opened = await openDatabase({ url, dataDir: 'unused' });
  return opened;
};
async function startOther() {
  const server = await startPostgresServer();
  onTestFinished(server.close);
  return server;
}

const at = ({ port }: { port: number }) => `127.0.0.1:${port}`;
const portOf = async ({ prisma }: Database) =>
  (await prisma.$queryRaw<{ port: number }[]>`SELECT inet_server_port() AS port`)[0]?.port;

describe.runIf(canStartPostgres)('a URL with several hosts', () => {
  beforeAll(async () => {
    primary = await startPostgresServer();
    standby = await startStandby(primary);
    // A server that accepts connections and never responds.
    silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(silent, 'listening');
  }, 60_000);
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  afterAll(async () => {
    await standby?.close();
    await primary?.close();
    silent?.close();
  });

  it.each(['read-write', 'primary'])('skips a standby: %s', async (session) => {
    const database = await open(`${at(standby)},${at(primary)}`, session);
    expect(await portOf(database)).toBe(primary.port);
    await database.ready();
  });

  it('skips unreachable and silent hosts within one deadline', async () => {
    const hosts = [at(silent.address() as AddressInfo), '127.0.0.1:9', at(primary)].join();
    for (const session of ['any', 'read-write']) {
      expect(await portOf(await open(hosts, session))).toBe(primary.port);
      await opened?.close();
    }
  });

  it('works for commands as well', async () => {
    const url = `postgresql://quotient@${at(standby)},${at(primary)}/postgres?target_session_attrs=primary`;
    const listed = await runHere('users', ['list', '--json'], { DATABASE_URL: url });
    expect(listed).toMatchObject({ code: 0, stdout: '[]\n' });
    expect(listed.stderr).toContain(`${at(standby)},${at(primary)}`);
  });

  it('uses the first host that responds, if any kind of session is allowed', async () => {
    const url = `postgresql://quotient@127.0.0.1:9,${at(standby)},${at(primary)}/postgres`;
    const { session, name, close } = await openSession({ url });
    expect((await session.query('SELECT pg_is_in_recovery() AS standby')).rows).toEqual([{ standby: true }]);
    expect(name).toBe(`${at(standby)}/postgres`);
    await close();
  });

  it('fails with a retryable error that states the reason for each host, if no host accepts writes', async () => {
    const attempt = open(`${at(standby)},127.0.0.1:9`);
    await expect(attempt).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(attempt).rejects.toThrow(`${at(standby)}: is read-only; 127.0.0.1:9: connect ECONNREFUSED`);
  });

  it('is resolved by every connection: a server that has become read-only is abandoned', async () => {
    const other = await startOther();
    const database = await open(`${at(other)},${at(primary)}`);
    await Promise.all(Array.from({ length: 4 }, () => database.ready()));
    expect(await portOf(database)).toBe(other.port);

    // Existing connections stay open, as on some managed servers.
    const operator = new pg.Client({ connectionString: other.url });
    await operator.connect();
    await operator.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await operator.query('SELECT pg_reload_conf()');
    await operator.end();
    // Each backend of the server applies the setting at its next statement after the signal.
    const outcome = () => database.ready().then(() => portOf(database), isDatabaseUnable);
    await expect.poll(outcome, { timeout: 30_000 }).toBe(primary.port);
  });

  it('fails as database unavailable while no host is suitable, and recovers without a restart', async () => {
    const other = await startOther();
    const database = await open(`${at(other)},${at(standby)}`);
    await database.ready();
    await other.stop('immediate');
    const failure = () =>
      database.ready().then(
        () => undefined,
        (error: unknown) => error,
      );
    await expect.poll(async () => String(await failure())).toContain('is read-only');
    expect(isDatabaseUnable(await failure())).toBe(true);
    await other.start();
    await expect.poll(failure, { timeout: 30_000 }).toBeUndefined();
  });
});
