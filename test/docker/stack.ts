import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url).pathname;

/** Contains every character that is special in a shell, a URL or a compose file. */
const PASSWORD = `p@ss:w/o?r#d %41 $HOME 'q"\\`;

/** The image that the tests build. It is kept, so that the next run reuses its layers. */
export const IMAGE = 'quotient:test';

const OPTIONS = { cwd: ROOT, maxBuffer: 64 * 2 ** 20 };

/** Runs `docker` and returns its output. Rejects with its error output. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, OPTIONS)).stdout.trim();
}

/** The output of a container, on both streams. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', container], OPTIONS);
  return stdout + stderr;
}

/** Builds the image, and the earlier stage in which the stand-ins for the upstreams run. */
export async function buildImage(): Promise<void> {
  await docker('build', '--quiet', '--target', 'built', '--tag', `${IMAGE}-development`, '.');
  await docker('build', '--quiet', '--tag', IMAGE, '.');
}

/** A user's calls in the ledger, over all periods. */
export type LedgerRow = { used: number; outstanding: number };

/**
 * Prepares the repository's compose file as a separate project, with `compose.override.yml`, on a free port and without
 * an `.env` file. Starts nothing. `close` removes everything, including the database.
 */
export function openStack() {
  const project = `quotient-test-${randomBytes(4).toString('hex')}`;
  const files = ['docker-compose.yml', 'test/docker/compose.override.yml'].flatMap((file) => ['-f', file]);
  const base = [
    'compose',
    '--ansi',
    'never',
    '--progress',
    'quiet',
    '-p',
    project,
    '--env-file',
    '/dev/null',
    ...files,
  ];
  const env = { ...process.env, POSTGRES_PASSWORD: PASSWORD, IMAGE, LISTEN: '127.0.0.1:0' };

  async function compose(...args: string[]): Promise<string> {
    const { stdout } = await run('docker', [...base, ...args], { ...OPTIONS, env });
    return stdout.trim();
  }

  /** The rows of a query, one per line, with columns separated by `|`. */
  const query = async (statement: string) =>
    (await compose('exec', '-T', 'postgres', 'psql', '-U', 'quotient', '-Atc', statement)).split('\n');

  return {
    project,
    compose,
    query,

    /** The URL of the balancer. */
    async url(): Promise<string> {
      return `http://${await compose('port', 'balancer', '8080')}`;
    },

    /** The running containers of a service. */
    async containers(service: string): Promise<string[]> {
      return (await compose('ps', '--quiet', service)).split('\n').filter((id) => id !== '');
    },

    /** The used calls, and the unspent calls of leases, except those that idle leases keep. */
    async ledgerRows(userKey: number): Promise<LedgerRow> {
      const [row = ''] = await query(`
        SELECT (SELECT coalesce(sum(used), 0) FROM usage WHERE user_key = ${userKey}) - coalesce(sum(granted - spent), 0),
          coalesce(sum(granted - spent) FILTER (WHERE granted - spent > 20), 0)
        FROM lease WHERE user_key = ${userKey}`);
      const [used, outstanding] = row.split('|').map(Number);
      return { used: used ?? 0, outstanding: outstanding ?? 0 };
    },

    async close(): Promise<void> {
      await compose('down', '--volumes', '--timeout', '15');
    },
  };
}
