import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TokenName } from '#catalogue/token';
import { DAY } from '#core/clock';
import type { BadLine } from '#prices/imports/csv-file';
import { createImport, type KeptRow } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createArchiveStore } from '#prices/latest/latest-store';
import { createPointStore } from '#prices/series/point-store';
import { plausibleTimes } from '#upstream/items/plausible';
import { openTestDatabase } from '../../support/database/database.ts';
import { storedRows } from '../../support/service/stored-rows.ts';

export const HEADER = 'snapped_at,price,market_cap,total_volume';
export const clock = { now: () => Date.parse('2024-06-01T12:00:00Z'), elapsed: () => 0 };
export const midnight = (date: string) => Date.parse(`${date}T00:00:00Z`);
export const row = (date: string, price = 1) => `${date} 00:00:00 UTC,${price},2,3`;
export const none = { read: 0, added: 0, changed: 0, skipped: 0, kept: 0, bad: 0 };

export const dates = (from: string, count: number) =>
  Array.from({ length: count }, (_, i) => new Date(midnight(from) + i * DAY).toISOString().slice(0, 10));

type Flags = {
  replace?: boolean;
  strict?: boolean;
  token?: TokenName;
  now?: () => number;
  stopAfter?: number;
  header?: string | undefined;
};

/** An empty archive, and files to import into it. */
export async function openImportArchive() {
  const database = await openTestDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'quotient-import-'));

  /** Imports a file into the archive of ethereum. Returns all reports. */
  async function takeFile(path: string, flags: Flags = {}) {
    const { replace = false, strict = false, token = 'ethereum', now = clock.now, stopAfter } = flags;
    const importer = createImport({
      store: createPointStore(database.prisma),
      clock: { ...clock, now },
    });
    const bad: BadLine[] = [];
    const kept: KeptRow[] = [];
    const batches: number[] = [];
    const stop = new AbortController();
    const { ended, ...counts } = await importer.run(token, await openImportFile(path), {
      replace,
      strict,
      signal: stop.signal,
      onBad: ({ line, fault }) => bad.push({ line, fault }),
      onKept: (one) => kept.push(one),
      onBatch: ({ read }) => {
        batches.push(read);
        if (batches.length === stopAfter) stop.abort();
      },
    });
    return { ended, counts, bad, kept, batches };
  }

  async function take(lines: readonly string[], flags: Flags = {}) {
    const path = join(directory, 'export.csv');
    await writeFile(path, `${[flags.header ?? HEADER, ...lines].join('\n')}\n`);
    return takeFile(path, flags);
  }

  async function samples(token: TokenName = 'ethereum') {
    const rows = await storedRows(createArchiveStore(database.prisma), token, 'day', plausibleTimes(Date.now()));
    return rows.map(({ at, price, marketCap, volume }) => ({ at, price, marketCap, volume }));
  }

  /** The covered spans as dates, with the end as the last date. */
  async function covered(): Promise<string[]> {
    const rows = await createArchiveStore(database.prisma).coverage();
    for (const { span } of rows) {
      expect([span.from % DAY, (span.thru + 1) % DAY], 'whole dates').toEqual([0, 0]);
    }
    const date = (at: number) => new Date(at).toISOString().slice(0, 10);
    return rows.map(({ span }) => `${date(span.from)}/${date(span.thru)}`).sort();
  }

  return {
    database,
    directory,
    takeFile,
    take,
    samples,
    covered,
    clear: () => database.prisma.$executeRaw`TRUNCATE point, point_coverage, refresh`,
    async close(): Promise<void> {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
