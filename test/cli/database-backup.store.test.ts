import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runBackup, runRestore } from '#cli/configured-database';
import { writeBackup } from '#database/backup/backup';
import { restoreBackup } from '#database/backup/restore';
import { END } from '#database/backup/tar';
import { openDatabase } from '#database/database';
import { openSession } from '#database/session';
import { toExitReport } from '#process/exit';
import { contentOf, withSession } from '../support/database/content.ts';
import { makeDataDirectory } from '../support/database/database.ts';
import { fill } from '../support/database/filled.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

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
    expect(await restoreBackup(file, at('restored'))).toEqual({ createdAt: clock.createdAt, users: 20 });
    expect(await contentOf({ dataDir: at('restored') })).toEqual(await contentOf({ dataDir }));
    expect((await readdir(directory)).sort()).toEqual(['backup', 'data', 'restored']);
  });

  it('is written as of one moment while other statements, which only wait, write', async () => {
    const database = await openDatabase({ dataDir, statementMs: 5_000 });
    let acknowledged = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        // Two rows in two tables, which must both be present or both be absent.
        await database.prisma.$transaction([
          database.prisma.$executeRaw`UPDATE refresh SET version = version + 1 WHERE what = 'chart:bitcoin'`,
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
        `SELECT (SELECT version FROM refresh WHERE what = 'chart:bitcoin') - 7 AS version,
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
      [gzipSync(END), 'is not a backup of the embedded database'],
      [gzipSync('anything at all'.repeat(100)), 'is not a backup of the embedded database'],
    ] as const) {
      await writeFile(broken, bytes);
      expect(await refused(runRestore, broken, at('empty'))).toMatch(
        new RegExp(`^1 ${broken} ${expected}.*: restore another backup$`),
      );
      expect((await readdir(at('empty'))).filter((name) => !name.startsWith('lock'))).toEqual([]);
    }
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
    expect(await refused(runBackup, join(dataDir, 'postgres', 'x'), dataDir)).toMatch(/^2 <file> must be outside/);
    vi.stubEnv('DATABASE_URL', 'postgresql://localhost/x');
    expect(await refused(runBackup, file, dataDir)).toMatch(/^2 this command works only with the embedded database/);
    vi.unstubAllEnvs();
    expect(existsSync(at('nothing'))).toBe(false);
    expect(await readFile(file)).toEqual(whole);
  });

  it('is rejected while a process has the directory open', async () => {
    const { close } = await openSession({ dataDir: at('restored') });
    await expect(restoreBackup(file, at('restored'))).rejects.toMatchObject({ code: 'DIRECTORY_IN_USE' });
    await close();
  });
});
