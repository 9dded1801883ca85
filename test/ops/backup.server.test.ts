import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#database/database';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { startService } from '../support/service/service.ts';
import { OPS } from './files.ts';

const run = promisify(execFile);
const SCRIPT = join(OPS, 'backup/quotient-backup');
const isInstalled = ['pg_dump', 'pg_restore'].every((program) => spawnSync(program, ['--version']).status === 0);
if (!isInstalled) console.log('pg_dump is not installed: the tests of the backup are skipped.');

let folder: string;
let backups: string;
let database: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quotient-backup-'));
  backups = join(folder, 'backups');
  await mkdir(backups);
  database = await openTestDatabase({ unshared: true });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Runs the script as its unit does. `urlFile` contains the URL of the database. */
async function backUp(url: string, { PATH = String(process.env.PATH) } = {}) {
  const urlFile = join(folder, 'database-url');
  await writeFile(urlFile, `${url}\n`);
  return run(SCRIPT, { env: { PATH, BACKUP_DIR: backups, BACKUP_DAYS: '14', DATABASE_URL_FILE: urlFile } });
}

describe.runIf(isInstalled)('the backup on a timer', () => {
  it('writes a file for its owner only, which contains all users and keys when it is restored', async () => {
    const service = await startService({ database });
    const key = await service.register();
    await service.close();
    const { stdout } = await backUp(String(database.url));
    const [file = ''] = await readdir(backups);
    expect(file).toMatch(/^quotient-\d{8}T\d{6}Z\.dump$/);
    expect(stdout).toContain(file);
    const path = join(backups, file);
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');

    const restored = await createTestDatabase('empty');
    await run('pg_restore', ['--exit-on-error', '--no-owner', '--dbname', restored.url, path]);
    const copy = await openDatabase({ url: restored.url, dataDir: 'unused' });
    const second = await startService({ database: { ...copy, url: restored.url } });
    expect((await second.get('/v1/user/data', { key })).status).toBe(200);
    await second.close();
    await copy.close();
    await restored.drop();
  });

  it('deletes backups that are older than BACKUP_DAYS, and no other file', async () => {
    const old = Date.now() / 1000 - 16 * 86_400;
    for (const name of ['quotient-20200101T000000Z.dump', 'notes.txt']) {
      await writeFile(join(backups, name), 'old');
      await utimes(join(backups, name), old, old);
    }
    await backUp(String(database.url));
    expect(await readdir(backups)).toEqual(['notes.txt', expect.stringMatching(/^quotient-2/)]);
    expect(await readFile(join(backups, 'notes.txt'), 'utf8')).toBe('old');
  });

  it('fails, and leaves no file, if the database is missing or not that of the service', async () => {
    const missing = new URL(String(database.url));
    missing.pathname = '/no_such_database';
    await expect(backUp(missing.href)).rejects.toMatchObject({ stderr: expect.stringContaining('no_such_database') });
    const empty = await createTestDatabase('empty');
    await expect(backUp(empty.url)).rejects.toMatchObject({
      stderr: expect.stringContaining('does not contain the tables of the service'),
    });
    await empty.drop();
    expect(await readdir(backups)).toEqual([]);
  });

  it('passes the password in the environment, because all users of the machine can read arguments', async () => {
    const programs = join(folder, 'programs');
    await mkdir(programs);
    await writeFile(join(programs, 'pg_dump'), '#!/bin/sh\necho "$@ PGPASSWORD=$PGPASSWORD" >&2; exit 1\n');
    await chmod(join(programs, 'pg_dump'), 0o755);
    const failed = backUp('postgresql://ada:p%40ss%2Fw@db.example:5432/quotient?sslmode=verify-full', {
      PATH: `${programs}:${process.env.PATH}`,
    });
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /--dbname=postgresql:\/\/ada@db\.example:5432\/quotient\?sslmode=verify-full PGPASSWORD=p@ss\/w\n$/,
      ),
    });
  });
});
