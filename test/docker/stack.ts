import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url).pathname;

/** Every character that a shell, a URL or a compose file could stumble over. */
const PASSWORD = `p@ss:w/o?r#d %41 $HOME 'q"\\`;

/** What the tests build; it is kept, so that the next run finds its layers. */
export const IMAGE = 'quotient:test';

const OPTIONS = { cwd: ROOT, maxBuffer: 64 * 2 ** 20 };

/** Runs `docker` and gives what it printed; rejects with what it complained of. */
export async function docker(...args: string[]): Promise<string> {
  return (await run('docker', args, OPTIONS)).stdout.trim();
}

/** What a container wrote, on either stream. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await run('docker', ['logs', container], OPTIONS);
  return stdout + stderr;
}

/** Builds the image, and the stage before it that the stand-ins for the upstreams run in. */
export async function buildImage(): Promise<void> {
  await docker('build', '--quiet', '--target', 'built', '--tag', `${IMAGE}-development`, '.');
  await docker('build', '--quiet', '--tag', IMAGE, '.');
}

/** What the ledger holds of a user, all periods together. */
export type Books = { used: number; outstanding: number };

/**
 * The compose file of the repository as a project of its own, with `compose.override.yml`, on a free port and without
 * anybody's `.env`. Nothing is started yet. `close` takes everything down, the database included.
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

  /** The rows of a query, a line each, columns parted by `|`. */
  const query = async (statement: string) =>
    (await compose('exec', '-T', 'postgres', 'psql', '-U', 'quotient', '-Atc', statement)).split('\n');

  return {
    project,
    compose,
    query,

    /** Where the balancer is published. */
    async url(): Promise<string> {
      return `http://${await compose('port', 'balancer', '8080')}`;
    },

    /** The running containers of a service. */
    async containers(service: string): Promise<string[]> {
      return (await compose('ps', '--quiet', service)).split('\n').filter((id) => id !== '');
    },

    /** What was used, and what leases hold beside what rests. */
    async ledgerRows(userKey: number): Promise<Books> {
      const [row = ''] = await query(`
        WITH held AS (SELECT coalesce(sum(unbooked), 0) AS unbooked,
          coalesce(sum(granted - spent) FILTER (WHERE resting > 0 AND NOT closed), 0) AS resting
          FROM lease WHERE user_key = ${userKey})
        SELECT coalesce(sum(used), 0) + (SELECT unbooked FROM held),
          coalesce(sum(outstanding), 0) - (SELECT unbooked + resting FROM held)
        FROM usage WHERE user_key = ${userKey}`);
      const [used, outstanding] = row.split('|').map(Number);
      return { used: used ?? 0, outstanding: outstanding ?? 0 };
    },

    async close(): Promise<void> {
      await compose('down', '--volumes', '--timeout', '15');
    },
  };
}

export type Stack = ReturnType<typeof openStack>;
