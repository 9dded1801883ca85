import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStartPostgres, type PostgresServer, startPostgresServer } from '../../../fixtures/postgres-server.ts';
import { runHere } from '../../cli/run-command.ts';

const SAMPLES = new URL('../../samples/mail/', import.meta.url).pathname;
const ACCESS = `
  host all quotient 127.0.0.1/32 trust
  host all bound 127.0.0.1/32 scram-sha-256
  host all plain 127.0.0.1/32 password`;

let directory: string;
let server: PostgresServer;

/** PostgreSQL requires that the key belongs to it or to root, and that others cannot read it. */
async function startEncrypted(): Promise<PostgresServer> {
  const [access, key, certificate] = ['access', 'key.pem', 'certificate.pem'].map((name) => join(directory, name));
  await writeFile(access as string, ACCESS);
  await copyFile(join(SAMPLES, 'key.pem'), key as string);
  await copyFile(join(SAMPLES, 'certificate.pem'), certificate as string);
  await chmod(directory, 0o755);
  const owner = await stat('/var/lib/postgresql').catch(() => undefined);
  if (process.getuid?.() === 0 && owner) await chown(key as string, owner.uid, owner.gid);
  await chmod(key as string, 0o600);
  return startPostgresServer([], {
    ssl: 'on',
    ssl_key_file: key as string,
    ssl_cert_file: certificate as string,
    hba_file: access as string,
  });
}

describe.runIf(canStartPostgres)('a server with TLS', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quotient-tls-'));
    server = await startEncrypted();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`CREATE ROLE bound LOGIN PASSWORD 'p'; CREATE ROLE plain LOGIN PASSWORD 'p';
      GRANT CREATE ON DATABASE postgres TO bound, plain`);
    await client.end();
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true });
  });

  const list = async (user: string, query: string) => {
    const url = `postgresql://${user}@127.0.0.1:${server.port}/postgres?schema=${user.split(':')[0]}&${query}`;
    const { code, stderr } = await runHere('users', ['list'], { DATABASE_URL: url });
    return { code, lines: stderr.trimEnd().split('\n') };
  };

  it.each([
    'ssl=false',
    'ssl=0',
    'ssl=no-verify',
    'sslmode=no-verify',
    'uselibpqcompat=true&sslmode=require',
    'sslmode=no-verify&channel_binding=prefer',
    'sslmode=no-verify&channel_binding=require',
    'sslmode=no-verify&channel_binding=require&target_session_attrs=read-write',
    'channel_binding=prefer',
    'channel_binding=disable',
  ])('can be used with %s', async (query) => {
    const { code, lines } = await list('bound:p', query);
    expect(lines).toEqual([expect.stringContaining('has no users')]);
    expect(code).toBe(0);
  });

  it.each([
    ['bound:p', 'channel_binding=require'],
    ['bound:p', 'channel_binding=require&target_session_attrs=primary'],
    ['plain:p', 'sslmode=no-verify&channel_binding=require'],
    ['quotient', 'sslmode=no-verify&channel_binding=require'],
    ['quotient', 'channel_binding=require'],
  ])('is rejected if it does not bind the channel: %s, %s', async (user, query) => {
    const { code, lines } = await list(user, query);
    expect(lines).toEqual([expect.stringMatching(/^cannot use the database at .*channel binding/)]);
    expect(code).toBe(2);
  });

  it.each(['require', 'prefer', 'verify-ca', 'verify-full'])(
    'with an unknown certificate is rejected in one line with sslmode=%s',
    async (mode) => {
      const { code, lines } = await list('bound:p', `sslmode=${mode}`);
      expect(lines).toEqual([expect.stringMatching(/self-signed certificate.*sslrootcert/)]);
      expect(code).toBe(1);
    },
  );

  it('names a missing password', async () => {
    const { code, lines } = await list('bound', '');
    expect(lines).toEqual([expect.stringContaining('PGPASSWORD')]);
    expect(code).toBe(1);
  });
});
