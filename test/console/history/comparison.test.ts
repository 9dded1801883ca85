import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Token } from '#client/index';
import { DEFAULT_VIEW } from '#console/history/chart-choice';
import { compared, endsBefore, pointsOf } from '#console/history/comparison';
import { comparisonCsv, rowInWords, rowsInWords } from '#console/history/comparison-words';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';

const START = Date.parse('2026-03-01T00:00:00Z');
const token = (tokenName: string) => ({ tokenName, symbol: tokenName.slice(0, 3), title: tokenName }) as Token;
const points = (...samples: [at: number, price: number][]) =>
  samples.map(([at, price]) => ({ date: new Date(START + at), price }));
const series = (...all: [at: number, price: number][][]) =>
  all.map((samples, i) => ({ token: token(`token-${i}`), points: points(...samples) }));

const times = ({ dates }: ReturnType<typeof compared>) => dates.map((date) => date.getTime() - START);
const valuesOf = ({ lines }: ReturnType<typeof compared>) => lines.map(({ values }) => values);

describe('the rows of a comparison', () => {
  it('share midnights, and the latest samples that are seconds apart', () => {
    const rows = compared(
      series(
        [
          [0, 10],
          [DAY, 20],
          [DAY + 7 * HOUR, 30],
        ],
        [
          [3 * SECOND, 1],
          [DAY + 9 * SECOND, 2],
          [DAY + 7 * HOUR + 40 * SECOND, 3],
        ],
      ),
      'daily',
      'price',
    );
    expect(times(rows)).toEqual([0, DAY, DAY + 7 * HOUR + 40 * SECOND]);
    expect(valuesOf(rows)).toEqual([
      [10, 20, 30],
      [1, 2, 3],
    ]);
  });

  it('do not share a latest sample of an earlier date', () => {
    const rows = compared(
      series(
        [
          [0, 1],
          [5 * HOUR, 2],
        ],
        [
          [0, 1],
          [DAY, 2],
          [DAY + HOUR, 3],
        ],
      ),
      'daily',
      'price',
    );
    expect(times(rows)).toEqual([0, 5 * HOUR, DAY, DAY + HOUR]);
    expect(valuesOf(rows)[0]).toEqual([1, 2, undefined, undefined]);
  });

  it('have the nearest five minutes or hour of samples that are taken at other times', () => {
    const minutes = compared(
      series(
        [
          [4, 1],
          [5 * MINUTE - 2, 2],
        ],
        [
          [1, 3],
          [5 * MINUTE + 8, 4],
        ],
      ),
      'minute',
      'price',
    );
    expect(valuesOf(minutes)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    const hours = compared(
      series(
        [
          [4, 1],
          [HOUR - 2000, 2],
        ],
        [
          [1, 3],
          [HOUR, 4],
        ],
      ),
      'hourly',
      'price',
    );
    expect([times(hours), valuesOf(hours)]).toEqual([
      [0, HOUR],
      [
        [1, 2],
        [3, 4],
      ],
    ]);
  });

  it('are ascending, have each value once, and keep all samples of one token', () => {
    const sampled = fc
      .uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 30 })
      .map((days) => days.sort((a, b) => a - b).map((day): [number, number] => [day * DAY, day + 1]));
    fc.assert(
      fc.property(fc.array(sampled, { minLength: 2, maxLength: 5 }), (all) => {
        const rows = compared(series(...all), 'daily', 'price');
        expect(times(rows)).toEqual([...new Set(all.flat().map(([at]) => at))].sort((a, b) => a - b));
        for (const [i, samples] of all.entries()) {
          expect(valuesOf(rows)[i]?.filter((value) => value !== undefined)).toEqual(samples.map(([, price]) => price));
        }
        expect(pointsOf(rows)).toHaveLength(rows.dates.length);
      }),
    );
  });
});

describe('an index', () => {
  it('is 100 at the first amount of each token, and a missing amount has none', () => {
    const rows = compared(
      series(
        [
          [0, 50],
          [DAY, 75],
          [2 * DAY, 25],
        ],
        [
          [DAY, 0.002],
          [3 * DAY, 0.003],
        ],
      ),
      'daily',
      'indexed',
    );
    const [first, second] = valuesOf(rows);
    expect(first).toEqual([100, 150, 50, undefined]);
    expect(second?.map((value) => value && Math.round(value))).toEqual([undefined, 100, undefined, 150]);
    expect(first?.map((_, row) => endsBefore(first, row))).toEqual([false, false, true, false]);
    expect(second?.map((_, row) => endsBefore(second ?? [], row))).toEqual([false, true, false, false]);
  });

  it('of zeros is missing', () => {
    expect(valuesOf(compared(series([[0, 0]], [[0, 1]]), 'daily', 'indexed'))).toEqual([[undefined], [100]]);
  });
});

describe('a comparison as text', () => {
  const rows = (mode: 'indexed' | 'price') =>
    compared(
      series(
        [
          [0, 50],
          [DAY, 75],
        ],
        [[0, 0.5]],
      ),
      'daily',
      mode,
    );
  const view = (mode: 'indexed' | 'price') => ({ ...DEFAULT_VIEW, compare: ['token-1'], mode });

  it('has the index with the amount, or the amount with its change', () => {
    const inWords = (mode: 'indexed' | 'price', row: number) => rowsInWords(rows(mode), row, view(mode));
    expect(inWords('indexed', 1)).toBe('token-0 150.00 ($75.00), token-1 no data');
    expect(inWords('price', 1)).toBe('token-0 $75.00 (+50.00%), token-1 no data');
    expect(inWords('price', 0)).toBe('token-0 $50.00 (+0.00%), token-1 $0.5000 (+0.00%)'.replaceAll('+0', '0'));
    const [line] = rows('indexed').lines;
    expect(line && rowInWords(line, 9, view('indexed'))).toEqual(['no data', '']);
  });

  it('is saved with the amounts of all tokens, followed by their indices', () => {
    for (const mode of ['indexed', 'price'] as const) {
      expect(comparisonCsv(rows(mode), view(mode)).split('\r\n')).toEqual([
        'date,token-0,token-1,token-0_index,token-1_index',
        '2026-03-01,50,0.5,100,100',
        '2026-03-02,75,,150,',
        '',
      ]);
    }
    const caps = { ...view('indexed'), metric: 'market_cap', currency: 'eur' } as const;
    expect(comparisonCsv(rows('indexed'), caps)).toMatch(
      /^date,token-0_market_cap,token-1_market_cap,token-0_index,token-1_index,currency\r\n/,
    );
  });
});
