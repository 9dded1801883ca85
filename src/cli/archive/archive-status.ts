import { createTokenStore } from '#catalogue/token-store';
import type { Command, Given } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, number, printJson } from '#cli/output';
import type { Span } from '#core/clock';
import { iso, systemClock } from '#core/clock';
import { type CandleReportRow, candleReport } from '#prices/candles/candle-availability';
import { createCandleStore } from '#prices/candles/candle-store';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { Interval } from '#prices/model/interval';
import { beginningIn, type CoverageRow, coverageReport } from '#prices/series/coverage-report';
import { createStatisticsStore } from '#statistics/statistics-store';
import { type ImplausibleRows, plausibleTimes } from '#upstream/items/plausible';

const MAX_SPANS = 10;

const short = (interval: Interval, at: number) =>
  interval === 'day' ? iso(at).slice(0, 10) : `${iso(at).slice(0, 16)}Z`;

function spanTexts(interval: Interval, spans: readonly Span[]): string[] {
  const texts = spans.slice(0, MAX_SPANS).map(({ from, thru }) => `${short(interval, from)}/${short(interval, thru)}`);
  const more = spans.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

type Row = CoverageRow | CandleReportRow;
const countOf = (row: Row) => ('points' in row ? row.points : row.candles);

function statusTable(counted: 'points' | 'candles', report: readonly Row[]): string {
  const rows: (string | number)[][] = [['token', 'interval', 'source', counted, 'first', 'last', 'spans', 'gaps']];
  for (const row of report) {
    const { token, interval, source, first, last } = row;
    const spans = spanTexts(interval, row.spans);
    const gaps = spanTexts(interval, row.gaps);
    const at = (instant: number | undefined) => (instant === undefined ? '-' : short(interval, instant));
    rows.push([token, interval, source, countOf(row), at(first), at(last), spans[0] ?? '-', gaps[0] ?? '-']);
    for (let i = 1; i < Math.max(spans.length, gaps.length); i++) {
      rows.push(['', '', '', '', '', '', spans[i] ?? '', gaps[i] ?? '']);
    }
  }
  return alignedTable(rows);
}

const spanRecord = ({ from, thru }: Span) => ({ from: iso(from), thru: iso(thru) });

const statusRecord = ({ token, interval, source, first, last, spans, gaps, ...counts }: Row) => ({
  token,
  interval,
  source,
  ...counts,
  first: first === undefined ? null : iso(first),
  last: last === undefined ? null : iso(last),
  spans: spans.map(spanRecord),
  gaps: gaps.map(spanRecord),
});

function leftAsideLine({ token, what, count, instants }: ImplausibleRows): string {
  const more = count > instants.length ? ` and ${count - instants.length} more` : '';
  return `implausible, not served: ${token} ${what}, ${number(count)} row(s): ${instants.join(', ')}${more}\n`;
}

async function run({ flags }: Given): Promise<void> {
  const { report, candles, implausibleRows } = await withDatabase(async ({ prisma }) => {
    const stores = [createArchiveStore(prisma), createCandleStore(prisma), createStatisticsStore(prisma)] as const;
    const times = plausibleTimes(systemClock.now());
    const tokens = await createTokenStore(prisma).all();
    const report = await coverageReport(stores[0], tokens, systemClock);
    const candles = await candleReport(stores[1], tokens, beginningIn(report), systemClock);
    const implausibleRows = [];
    for (const store of stores) implausibleRows.push(...(await store.implausibleRows(times)));
    return { report, candles, implausibleRows };
  });
  if (flags.has('json')) {
    const records = [...report, ...candles].map(statusRecord);
    return printJson([...records, ...implausibleRows.map(({ what, ...row }) => ({ leftAside: what, ...row }))]);
  }
  const parts = [
    statusTable('points', report),
    candles.length > 0 ? statusTable('candles', candles) : 'no candles\n',
    ...(implausibleRows.length > 0 ? [implausibleRows.map(leftAsideLine).join('')] : []),
  ];
  process.stdout.write(parts.join('\n'));
}

export const status: Command = {
  name: 'archive status',
  options: { json: 'prints all fields as JSON' },
  help: `Shows the archived data for each token, interval and source: the number of points, the first and last point, the
complete periods, and the gaps since the token was listed. Shows the same for candles. Also lists implausible rows: rows
in the future or without a finite value. Implausible rows are not served.`,
  run,
};
