import { iso, systemClock } from '../domain/clock.ts';
import type { Grain } from '../domain/grain.ts';
import type { Span } from '../domain/span.ts';
import { EXIT } from '../refusal.ts';
import { type InventoryRow, takeInventory } from '../services/inventory.ts';
import { createArchiveStore } from '../stores/archive.ts';
import { readArguments, withDatabase } from './command-line.ts';
import { alignedTable } from './table.ts';

const SPANS_TOLD = 10;

export const statusUsage = `  npm run archive -- status [--json]

    What the archive holds of each token and grain: how many points, the first and the last, the spans of
    which all is known, and the gaps between the token's listing and now. Dates for days, else instants.
`;

const form = { options: { json: { type: 'boolean', default: false } }, positionals: [] } as const;

/** Dates for days, minutes for finer grains. */
const short = (grain: Grain, at: number) =>
  grain === 'day' ? iso(at).slice(0, 10) : `${iso(at).slice(0, 16)}Z`;

function spanTexts(grain: Grain, spans: readonly Span[]): string[] {
  const texts = spans
    .slice(0, SPANS_TOLD)
    .map(({ from, thru }) => `${short(grain, from)}/${short(grain, thru)}`);
  const more = spans.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

/** A row for each token and grain; further spans and gaps stand below the first. */
function statusTable(inventory: readonly InventoryRow[]): string {
  const rows: (string | number)[][] = [['token', 'grain', 'points', 'first', 'last', 'spans', 'gaps']];
  for (const { token, grain, points, first, last, ...rest } of inventory) {
    const spans = spanTexts(grain, rest.spans);
    const gaps = spanTexts(grain, rest.gaps);
    const at = (instant: number | undefined) => (instant === undefined ? '-' : short(grain, instant));
    rows.push([token, grain, points, at(first), at(last), spans[0] ?? '-', gaps[0] ?? '-']);
    for (let i = 1; i < Math.max(spans.length, gaps.length); i++) {
      rows.push(['', '', '', '', '', spans[i] ?? '', gaps[i] ?? '']);
    }
  }
  return alignedTable(rows);
}

const spanRecord = ({ from, thru }: Span) => ({ from: iso(from), thru: iso(thru) });

const statusRecord = ({ token, grain, points, first, last, spans, gaps }: InventoryRow) => ({
  token,
  grain,
  points,
  first: first === undefined ? null : iso(first),
  last: last === undefined ? null : iso(last),
  spans: spans.map(spanRecord),
  gaps: gaps.map(spanRecord),
});

/** `archive status` */
export async function runStatus(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, form);
  const inventory = await withDatabase(({ prisma }) =>
    takeInventory(createArchiveStore(prisma), systemClock),
  );
  process.stdout.write(
    values.json ? `${JSON.stringify(inventory.map(statusRecord), null, 2)}\n` : statusTable(inventory),
  );
  return EXIT.ok;
}
