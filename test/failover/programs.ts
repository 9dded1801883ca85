import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';
/** Debian installs these next to each other, and not in the PATH. */
const SERVER_PROGRAMS = ['postgres', 'initdb', 'pg_basebackup', 'pg_rewind'];
/** HAProxy is in a folder that only root's PATH contains. */
export const PATH = `${process.env.PATH}:/usr/sbin`;
const PROGRAMS = ['setpriv', 'etcd', 'patroni', 'haproxy'];

const hasAll = (folder: string) => SERVER_PROGRAMS.every((name) => existsSync(join(folder, name)));
const isInPath = (name: string) => spawnSync('which', [name], { env: { PATH } }).status === 0;

/** The folder of the newest PostgreSQL server. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(VERSIONS, version, 'bin')).find(hasAll);
}

/** The programs of a cluster that this machine lacks. */
export const missingPrograms = (): string[] => [
  ...PROGRAMS.filter((name) => !isInPath(name)),
  ...(findPostgres() ? [] : ['postgres']),
];
