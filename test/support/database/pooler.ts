import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const PROGRAM = '/usr/sbin/pgbouncer';

/** The path of Debian's PgBouncer, if it is installed. */
export const findPgBouncer = (): string | undefined => (existsSync(PROGRAM) ? PROGRAM : undefined);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/**
 * Starts PgBouncer in transaction mode in front of all databases of a server, with few sessions, so that sessions are
 * shared.
 * @param ignored the startup parameters that PgBouncer ignores
 */
export async function startPooler(target: string, ignored: 'options' | '' = 'options') {
  const { hostname, port: serverPort, username, password } = new URL(target);
  const directory = await mkdtemp(join(tmpdir(), 'quotient-pgbouncer-'));
  await chmod(directory, 0o755);
  const port = await freePort();
  const login = [`user=${username || 'postgres'}`, ...(password ? [`password=${password}`] : [])].join(' ');
  const config = join(directory, 'pgbouncer.ini');
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${serverPort || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 1000
ignore_startup_parameters = ${ignored}
`,
    { mode: 0o644 },
  );
  // PgBouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const child = spawn(PROGRAM, [...as, config], { stdio: 'ignore' });
  const url = `postgresql://${username || 'postgres'}@127.0.0.1:${port}/`;
  for (;;) {
    const client = new pg.Client({ connectionString: `${url}postgres` });
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isThere) break;
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with exit code ${child.exitCode}`);
  }
  return {
    url,
    async close(): Promise<void> {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}
