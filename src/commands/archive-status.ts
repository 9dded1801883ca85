import { iso, systemClock } from '#domain/clock';
import type { Interval } from '#domain/market/interval';
import { plausibleTimes } from '#domain/market/plausible-sample';
import type { Span } from '#domain/market/span';
import { EXIT } from '#exit';
import { type CoverageRow, coverageReport } from '#services/market/coverage-report';
import { createArchiveStore } from '#stores/market/archive';
import type { LeftAside } from '#stores/market/archive-sql';
import { createStatisticsStore } from '#stores/statistics/statistics';
import { readArguments, withDatabase } from './command-line.ts';
import { alignedTable } from './table.ts';

const MAX_SPANS = 10;

export const statusUsage = `  npm run archive -- status [--json]

    Shows what the archive holds for each token, interval and source: number of points, first and last,
    complete spans, and gaps since the token's listing, whichever source might fill them. Then the implausible rows (in the future, or without a
    finite value), which are not served.
`;

const form = { options: { json: { type: 'boolean', default: false } }, positionals: [] } as const;

/** Dates for days, minutes for finer intervals. */
const short = (interval: Interval, at: number) =>
  interval === 'day' ? iso(at).slice(0, 10) : `${iso(at).slice(0, 16)}Z`;

function spanTexts(interval: Interval, spans: readonly Span[]): string[] {
  const texts = spans
    .slice(0, MAX_SPANS)
    .map(({ from, thru }) => `${short(interval, from)}/${short(interval, thru)}`);
  const more = spans.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

/** A row for each token, interval and source; further spans and gaps stand below the first. */
function statusTable(report: readonly CoverageRow[]): string {
  const rows: (string | number)[][] = [
    ['token', 'grain', 'source', 'points', 'first', 'last', 'spans', 'gaps'],
  ];
  for (const { token, interval, source, points, first, last, ...rest } of report) {
    const spans = spanTexts(interval, rest.spans);
    const gaps = spanTexts(interval, rest.gaps);
    const at = (instant: number | undefined) => (instant === undefined ? '-' : short(interval, instant));
    rows.push([token, interval, source, points, at(first), at(last), spans[0] ?? '-', gaps[0] ?? '-']);
    for (let i = 1; i < Math.max(spans.length, gaps.length); i++) {
      rows.push(['', '', '', '', '', '', spans[i] ?? '', gaps[i] ?? '']);
    }
  }
  return alignedTable(rows);
}

const spanRecord = ({ from, thru }: Span) => ({ from: iso(from), thru: iso(thru) });

const statusRecord = ({ token, interval, source, points, first, last, spans, gaps }: CoverageRow) => ({
  token,
  grain: interval,
  source,
  points,
  first: first === undefined ? null : iso(first),
  last: last === undefined ? null : iso(last),
  spans: spans.map(spanRecord),
  gaps: gaps.map(spanRecord),
});

const leftAsideRecord = ({ what, ...row }: LeftAside) => ({ leftAside: what, ...row });

function leftAsideLine({ token, what, count, instants }: LeftAside): string {
  const more = count > instants.length ? ` and ${count - instants.length} more` : '';
  return `not served, implausible: ${token} ${what}, ${count} row(s): ${instants.join(', ')}${more}\n`;
}

/** `archive status` */
export async function runStatus(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, form);
  const { report, leftAside } = await withDatabase(async ({ prisma }) => {
    const [archive, statistics] = [createArchiveStore(prisma), createStatisticsStore(prisma)];
    const times = plausibleTimes(systemClock.now());
    return {
      report: await coverageReport(archive, systemClock),
      leftAside: [...(await archive.leftAside(times)), ...(await statistics.leftAside(times))],
    };
  });
  process.stdout.write(
    values.json
      ? `${JSON.stringify([...report.map(statusRecord), ...leftAside.map(leftAsideRecord)], null, 2)}\n`
      : statusTable(report) + leftAside.map(leftAsideLine).join(''),
  );
  return EXIT.ok;
}
