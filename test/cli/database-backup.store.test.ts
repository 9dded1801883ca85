import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { backup, restore } from '#cli/database/database-backup';
import { writeBackup } from '#database/backup/backup';
import { restoreBackup } from '#database/backup/restore';
import { openDatabase } from '#database/database';
import { openSession } from '#database/session';
import { toExitReport } from '#process/exit-report';
import { contentOf, withSession } from '../support/database/content.ts';
import { makeDataDirectory } from '../support/database/database.ts';
import { fill } from '../support/database/filled.ts';
import { execute } from './run-command.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const runBackup = (args: readonly string[]) => execute(backup, args);
const runRestore = (args: readonly string[]) => execute(restore, args);

const clock = { createdAt: '2026-11-22T10:00:00.000Z', elapsed: () => performance.now() };

let directory: string;
let dataDir: string;
let file: string;
const at = (...parts: string[]) => join(directory, ...parts);

describe('the embedded database', () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quotient-backup-'));
    [dataDir, file] = [at('data'), at('backup')];
    await makeDataDirectory(dataDir);
    await withSession({ dataDir }, (session) => fill(session, { days: 5, hours: 5, users: 20, usageDays: 2 }));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('is written into one file and restored from it', async () => {
    await writeBackup(dataDir, file, clock);
    // The service keeps its admin token beside the database.
    await mkdir(at('restored'));
    await writeFile(at('restored', 'admin-token'), '');
    expect(await restoreBackup(file, at('restored'))).toEqual({ createdAt: clock.createdAt, users: 20 });
    expect(await contentOf({ dataDir: at('restored') })).toEqual(await contentOf({ dataDir }));
    expect((await readdir(directory)).sort()).toEqual(['backup', 'data', 'restored']);
  });

  it('is not written after a signal, which leaves no copy of the database', async () => {
    vi.stubEnv('DATABASE_URL', '');
    vi.stubEnv('DATA_DIR', dataDir);
    const before = await readdir(directory);
    const attempt = runBackup([at('interrupted')]);
    process.emit('SIGHUP', 'SIGHUP');
    await expect(attempt).rejects.toMatchObject({ exitCode: 129 });
    const stop = new AbortController();
    // Read while statements are blocked, after most files were copied.
    const elapsed = () => {
      stop.abort(143);
      return 0;
    };
    const late = writeBackup(dataDir, at('interrupted'), { ...clock, elapsed, signal: stop.signal });
    await expect(late).rejects.toBeDefined();
    expect(await readdir(directory)).toEqual(before);
    vi.unstubAllEnvs();
  });

  it('is written as of one moment while other statements, which only wait, write', async () => {
    const database = await openDatabase({ dataDir, statementMs: 5_000 });
    let acknowledged = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        // Two rows in two tables, which must both be present or both be absent.
        await database.prisma.$transaction([
          database.prisma.$executeRaw`UPDATE refresh SET version = version + 1 WHERE resource = 'chart:bitcoin'`,
          database.prisma
            .$executeRaw`INSERT INTO exchange_rates (date, rates) VALUES (date '1990-01-01' + ${acknowledged}::int, '{}')`,
        ]);
        acknowledged += 1;
      }
    })();
    await vi.waitUntil(() => acknowledged > 20, { timeout: 15_000 });
    const before = acknowledged;
    const live = at('live');
    await writeBackup(dataDir, live, clock);
    const after = acknowledged;
    isOver = true;
    await writing;
    await database.close();

    await restoreBackup(live, at('of-live'));
    const [row] = await withSession({ dataDir: at('of-live') }, async (session) => {
      const { rows } = await session.query<{ version: number; dates: number }>(
        `SELECT (SELECT version FROM refresh WHERE resource = 'chart:bitcoin') - 7 AS version,
          (SELECT count(*)::int FROM exchange_rates WHERE date < '2013-01-01') AS dates`,
      );
      return rows;
    });
    expect(row?.version).toBe(row?.dates);
    expect(row?.dates).toBeGreaterThanOrEqual(before);
    expect(row?.dates).toBeLessThanOrEqual(after + 1);
  });

  it('is not written or restored over existing files, and leaves no partial result', async () => {
    vi.stubEnv('DATABASE_URL', '');
    const refused = async (run: typeof runBackup, name: string, to: string) => {
      vi.stubEnv('DATA_DIR', to);
      const { text, exitCode } = toExitReport(
        await run([name]).then(
          () => new Error('the command succeeded'),
          (error) => error,
        ),
      );
      expect(text).not.toContain('\n');
      return `${exitCode} ${text}`;
    };
    expect(await refused(runRestore, file, dataDir)).toBe(
      `2 ${dataDir} is not empty: it contains postgres; set DATA_DIR to an empty directory`,
    );
    await mkdir(at('theirs'));
    await writeFile(at('theirs', 'notes.txt'), '');
    expect(await refused(runRestore, file, at('theirs'))).toMatch(
      /^2 .* is not empty: it contains notes.txt; set DATA_DIR/,
    );

    const whole = await readFile(file);
    const broken = at('broken');
    for (const [bytes, expected] of [
      [whole.subarray(0, whole.length / 2), 'is truncated or damaged'],
      [whole.subarray(0, whole.length - 4), 'is truncated or damaged'],
      [Buffer.from('anything'), 'is truncated or damaged'],
      [Buffer.alloc(0), 'is truncated'],
      [gzipSync('{'), 'is truncated'],
      [gzipSync('anything at all'.repeat(100)), 'is not a backup of the embedded database'],
    ] as const) {
      await writeFile(broken, bytes);
      expect(await refused(runRestore, broken, at('empty'))).toMatch(
        new RegExp(`^1 ${broken} ${expected}.*: restore another backup$`),
      );
      expect(existsSync(at('empty'))).toBe(false);
    }
    expect(await refused(runRestore, directory, at('empty'))).toBe(
      `2 ${directory} is a directory: specify a backup file`,
    );
    expect(await refused(runRestore, at('nothing'), at('empty'))).toBe(
      `2 ${at('nothing')} does not exist: check the path`,
    );
    expect(await refused(runBackup, file, at('nothing'))).toBe(
      `2 there is no database in ${at('nothing')}: set DATA_DIR to the directory of a database`,
    );
    expect(await refused(runBackup, at('nothing', 'x'), dataDir)).toBe(
      `2 ${at('nothing')} does not exist: create the directory first`,
    );
    expect(await refused(runBackup, directory, dataDir)).toBe(`2 ${directory} is a directory: use the name of a file`);
    execFileSync('mkfifo', [at('pipe')]);
    expect(await refused(runBackup, at('pipe'), dataDir)).toBe(
      `2 ${at('pipe')} is not a regular file: use the name of a file`,
    );
    await symlink(dataDir, at('inside'));
    expect(await refused(runBackup, at('inside', 'x'), dataDir)).toMatch(/^2 <file> must be outside DATA_DIR/);
    await writeFile(at('older'), 'x');
    await symlink(at('older'), at('latest'));
    expect(await runBackup([at('latest')])).toBe(0);
    expect((await lstat(at('latest'))).isSymbolicLink()).toBe(true);
    expect((await readFile(at('older'))).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(await refused(runBackup, join(dataDir, 'postgres', 'x'), dataDir)).toMatch(/^2 <file> must be outside/);
    vi.stubEnv('DATABASE_URL', 'postgresql://localhost/x');
    expect(await refused(runBackup, file, dataDir)).toMatch(/^2 this command works only with the embedded database/);
    vi.unstubAllEnvs();
    expect(existsSync(at('nothing'))).toBe(false);
    expect(await readFile(file)).toEqual(whole);
  });

  it('is not restored from a backup with a damaged list of files or of another format', async () => {
    vi.stubEnv('DATABASE_URL', '');
    vi.stubEnv('DATA_DIR', at('new', 'data'));
    const sound = { format: 1, createdAt: clock.createdAt, entries: [] as object[] };
    const texts = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      ...Object.keys(sound).flatMap((member) =>
        [undefined, null, '', 'x', -1, {}, [1], true].map((value) => JSON.stringify({ ...sound, [member]: value })),
      ),
      JSON.stringify({ ...sound, format: 2 }),
      ...['../a', '/etc/passwd', 'base/../../a', 'a/./b', 'a\\b', 'a//b', ''].map((path) =>
        JSON.stringify({ ...sound, entries: [{ path, size: 0 }] }),
      ),
      ...[-1, 0.5, '1', null].map((size) => JSON.stringify({ ...sound, entries: [{ path: 'a', size }] })),
      JSON.stringify({ ...sound, entries: [{ path: 'a', size: 1 }] }),
      JSON.stringify({ ...sound, createdAt: clock.createdAt.repeat(2) }),
      ' '.repeat(100_000),
      JSON.stringify(sound),
    ];
    for (const text of texts) {
      await writeFile(at('odd'), gzipSync(`${text}\n`));
      const reported = toExitReport(await runRestore([at('odd')]).catch((error) => error));
      expect([text.slice(0, 100), reported]).toEqual([
        text.slice(0, 100),
        { exitCode: 1, text: expect.stringMatching(new RegExp(`^${at('odd')} [^\\n]+: restore another backup$`)) },
      ]);
      expect(reported.text).not.toContain('undefined');
      expect(existsSync(at('new')), 'nothing was created').toBe(false);
    }
    vi.unstubAllEnvs();
  });

  it('is rejected while a process has the directory open', async () => {
    const { close } = await openSession({ dataDir: at('restored') });
    await expect(restoreBackup(file, at('restored'))).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
    await close();
  });
});
