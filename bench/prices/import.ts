import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY, systemClock } from '#core/clock';
import { openDatabase } from '#database/database';
import { createImport } from '#prices/imports/import';
import { openImportFile } from '#prices/imports/price-file';
import { createPointStore } from '#prices/series/point-store';
import { atMost, type Figure, median } from '../measuring/table.ts';

const ROWS = 3400;
const ROUNDS = 3;

function exportText(): string {
  const from = Date.UTC(2015, 7, 7);
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const date = new Date(from + i * DAY).toISOString().slice(0, 10);
    return `${date} 00:00:00 UTC,${1 + i / 7},${1e8 + i * 1234.5},${1e6 + i / 3}`;
  });
  return ['snapped_at,price,market_cap,total_volume', ...lines, ''].join('\n');
}

async function secondsToImport(directory: string): Promise<number> {
  const database = await openDatabase({ dataDir: join(directory, String(Math.random())) });
  const file = join(directory, 'export.csv');
  await writeFile(file, exportText());
  const importer = createImport({ store: createPointStore(database.prisma), clock: systemClock });
  const startedAt = performance.now();
  const summary = await importer.run('ethereum', await openImportFile(file), {
    replace: false,
    strict: false,
    signal: new AbortController().signal,
    onBad: () => undefined,
    onKept: () => undefined,
    onBatch: () => undefined,
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await database.close();
  if (summary.added !== ROWS) throw new Error(`only ${summary.added} rows were added`);
  return seconds;
}

export async function measure(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quotient-bench-'));
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) seconds.push(await secondsToImport(directory));
  await rm(directory, { recursive: true });
  return [atMost('import of 3,400 rows, embedded', median(seconds), 3, 's')];
}
