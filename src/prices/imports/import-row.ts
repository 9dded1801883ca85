import type { DecimalMark } from '#prices/imports/csv-file';
import { readNumbers, readTime } from '#prices/imports/csv-values';
import type { ImportColumn } from '#prices/imports/price-file';
import { isMarketSource, MARKET_SOURCES, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { FIRST_BLOCK } from '#upstream/items/plausible';

const FIGURES = ['price', 'market_cap', 'total_volume'] as const;

/** A fault contains the row's time if that time is readable. */
type ReadRow = { sample: SourcedSample } | { fault: string; at: number | undefined };

type Figure = number | null | { fault: string };

/** Returns null for an empty field. Otherwise, returns a finite number of at least 0, or a fault. */
function figureOf(column: ImportColumn, text: string, value: number | 'ambiguous' | undefined): Figure {
  if (text === '') return null;
  if (value === 'ambiguous') return { fault: `${column} has two readings: write it without separators of thousands` };
  if (value === undefined) return { fault: `${column} must be a number` };
  if (!Number.isFinite(value)) return { fault: `${column} is too large` };
  if (value < 0) return { fault: `${column} must not be negative` };
  return value + 0; // -0 becomes 0
}

function timeFault(at: number, now: number): string | undefined {
  if (at > now) return 'snapped_at is in the future';
  if (at < FIRST_BLOCK) return 'snapped_at is before 2009-01-03, the first block of Bitcoin';
  return undefined;
}

/** Reads one row of an export. Rejects a row whose time is later than `now` (Unix ms). */
export function readImportRow(
  fields: readonly string[],
  columns: readonly ImportColumn[],
  now: number,
  decimal: DecimalMark = '.',
): ReadRow {
  const field = (column: ImportColumn) => fields[columns.indexOf(column)] ?? '';
  const at = readTime(field('snapped_at'));
  if (fields.length !== columns.length) {
    return { fault: `has ${fields.length} columns instead of ${columns.length}`, at };
  }
  if (at === undefined) {
    return { fault: 'snapped_at must be a time such as 2015-08-07 00:00:00 UTC', at };
  }
  const texts = FIGURES.map(field);
  const numbers = readNumbers(texts, decimal);
  const figures = FIGURES.map((column, i) => figureOf(column, texts[i] ?? '', numbers[i]));
  const [price, marketCap, volume] = figures as [Figure, Figure, Figure];
  const fault = timeFault(at, now);
  if (fault !== undefined) return { fault, at };
  const source = field('source') || PRIMARY_SOURCE;
  if (!isMarketSource(source)) return { fault: `source must be one of ${MARKET_SOURCES.join(', ')}`, at };
  if (price === 0) return { fault: 'price must be above 0', at };
  for (const figure of [price, marketCap, volume]) {
    if (figure !== null && typeof figure === 'object') return { fault: figure.fault, at };
  }
  return { sample: { at, price, marketCap, volume, source } as SourcedSample };
}
