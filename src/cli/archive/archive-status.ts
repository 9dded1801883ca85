import type { Token } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { type Command, type Given, wholeNumber, wrongUsage } from '#cli/arguments';
import { withDatabase } from '#cli/configured-database';
import { alignedTable, note, number, print, printJson } from '#cli/output';
import type { Span } from '#core/clock';
import { iso, systemClock } from '#core/clock';
import { LARGEST_NUMBER } from '#keys/api-key';
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

/** Large catalogues are shown in part, because a report of all tokens takes long to make and to read. */
const DEFAULT_TOKENS = 100;

/** Throws `UsageError` for a name that is not served. */
function chosen(all: readonly Token[], { tokens: names, limit }: Given['values']): readonly Token[] {
  const most = limit === undefined ? DEFAULT_TOKENS : wholeNumber('--limit', limit, 1, LARGEST_NUMBER);
  if (names === undefined) return all.slice(0, most);
  return names.split(',').map((name) => {
    const token = all.find((token) => token.name === name.trim());
    if (token) return token;
    throw wrongUsage('--tokens must contain names from `quotient tokens list`, separated by commas');
  });
}

async function run({ values, flags }: Given): Promise<void> {
  const { report, candles, implausibleRows, notShown } = await withDatabase(async ({ prisma }) => {
    const points = createArchiveStore(prisma);
    const candleStore = createCandleStore(prisma);
    const times = plausibleTimes(systemClock.now());
    const all = await createTokenStore(prisma).all();
    const tokens = chosen(all, values);
    const report = await coverageReport(points, tokens, systemClock);
    const candles = await candleReport(candleStore, tokens, beginningIn(report), systemClock);
    const names = tokens.map(({ name }) => name);
    const implausibleRows = [
      ...(await points.implausibleRows(times, names)),
      ...(await candleStore.implausibleRows(times, names)),
      ...(await createStatisticsStore(prisma).implausibleRows(times)),
    ];
    const notShown = values.tokens === undefined ? all.length - tokens.length : 0;
    return { report, candles, implausibleRows, notShown };
  });
  if (notShown > 0) {
    note(`${number(notShown)} more token(s) not shown: use --tokens <names> or --limit <tokens>`);
  }
  if (flags.has('json')) {
    const records = [...report, ...candles].map(statusRecord);
    return printJson([...records, ...implausibleRows.map(({ what, ...row }) => ({ leftAside: what, ...row }))]);
  }
  const parts = [
    statusTable('points', report),
    candles.length > 0 ? statusTable('candles', candles) : 'no candles\n',
    ...(implausibleRows.length > 0 ? [implausibleRows.map(leftAsideLine).join('')] : []),
  ];
  print(parts.join('\n'));
}

export const status: Command = {
  name: 'archive status',
  options: {
    'tokens <names>': 'only these tokens, separated by commas',
    'limit <tokens>': `only the first tokens (default: ${DEFAULT_TOKENS})`,
    json: 'prints all fields as JSON',
  },
  help: `Shows the archived data for each token, interval and source: the number of points, the first and last point, the
complete periods, and the gaps since the token was listed. Shows the same for candles. Also lists implausible rows: rows
in the future or without a finite value. Implausible rows are not served.`,
  run,
};
