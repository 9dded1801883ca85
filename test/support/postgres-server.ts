import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's place for the programs of each release. */
const RELEASES = '/usr/lib/postgresql';

function findPrograms(): string | undefined {
  if (!existsSync(RELEASES)) return undefined;
  const [newest] = readdirSync(RELEASES).sort((a, b) => Number(b) - Number(a));
  const programs = newest && join(RELEASES, newest, 'bin');
  return programs && existsSync(join(programs, 'initdb')) ? programs : undefined;
}

const programs = findPrograms();

/** Whether a server can be started here. */
export const canStartPostgres = programs !== undefined;

if (!canStartPostgres) {
  console.log(`No PostgreSQL programs in ${RELEASES}: the tests that stop a server are left out.`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

/**
 * A PostgreSQL server in a temporary directory, for whoever stops and starts it; `close` removes it.
 * @param within a command, in words, that runs the one that follows it: `taskset -c 1`
 */
export async function startPostgresServer(within: readonly string[] = []) {
  if (!programs) throw new Error(`there is no PostgreSQL in ${RELEASES}`);
  const directory = await mkdtemp(join(tmpdir(), 'quotient-postgres-'));
  const data = join(directory, 'data');
  const port = await freePort();

  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? [...within, 'runuser', '-u', 'postgres', '--'] : within;
  if (isRoot) {
    const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
    await chown(directory, await id('-u'), await id('-g'));
    await chmod(directory, 0o700);
  }
  const program = (name: string, ...args: string[]) => {
    const [command = '', ...rest] = [...as, join(programs, name), ...args];
    return run(command, rest, { cwd: '/' });
  };

  await program('initdb', '-D', data, '-U', 'quotient', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory}`;
  const start = () =>
    program('pg_ctl', '-D', data, '-w', '-l', join(directory, 'log'), '-o', options, 'start');
  const stop = (mode: 'fast' | 'immediate') => program('pg_ctl', '-D', data, '-w', '-m', mode, 'stop');
  await start();

  return {
    url: `postgresql://quotient@127.0.0.1:${port}/postgres`,
    async start(): Promise<void> {
      await start();
    },
    /** `fast` ends the sessions in order, `immediate` as a crash would. */
    async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
      await stop(mode);
    },
    async close(): Promise<void> {
      await stop('immediate').catch(() => undefined);
      await rm(directory, { recursive: true });
    },
  };
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgresServer>>;
