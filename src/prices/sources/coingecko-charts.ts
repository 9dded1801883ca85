import { z } from 'zod';
import { MINUTE } from '#core/clock';
import type { Sample } from '#prices/model/sample';
import { isOutlier, misplacedRows } from '#upstream/items/item-order';
import { countRejections, type Items, readItems } from '#upstream/items/items';
import { type Implausible, plausibleFigure } from '#upstream/items/plausible';
import { reported } from './coingecko-wire.ts';

type Point = readonly [at: number, value: number | null];

function pointOf(value: unknown): Point | undefined {
  if (!Array.isArray(value) || value.length < 2 || !Number.isSafeInteger(value[0])) return undefined;
  const figure = reported(value[1]);
  return figure === undefined ? undefined : [value[0], figure];
}

/**
 * The points are parsed later, because a schema of tuples would take about 60 ms for a chart's 15,000 points. Only the
 * prices are required.
 */
export const chartOf = (most: number) => {
  const column = z.array(z.unknown()).max(most);
  const optional = column.nullable().catch(null);
  return z.object({ prices: column, market_caps: optional, total_volumes: optional });
};
type Chart = z.infer<ReturnType<typeof chartOf>>;
const COLUMNS = [
  ['prices', 'price'],
  ['market_caps', 'marketCap'],
  ['total_volumes', 'volume'],
] as const;
type Reject = ReturnType<typeof countRejections>['reject'];

/** CoinGecko appends the newest sample. The newest sample can be up to this many ms older than the sample before it. */
const NEWEST_EARLIER = 5 * MINUTE;

/** Returns the points except those whose place in the array shows that they have another point's time. */
function ordered(points: readonly Point[], reject: Reject): readonly Point[] {
  const times = points.map(([at]) => at);
  const [newest = 0, previous = newest] = times.slice(-2).reverse();
  if (newest < previous && previous - newest <= NEWEST_EARLIER) times[times.length - 1] = previous;
  const misplaced = misplacedRows(times);
  if (misplaced.size === 0) return points;
  reject('out_of_order', misplaced.size);
  return points.filter((_point, place) => !misplaced.has(place));
}

/**
 * Sorts the samples of a chart. Matches the three arrays by time, because their lengths may differ. If an array
 * contains two different values for a time, both values are dropped. A malformed point does not affect the other
 * points.
 */
export function chartItems(chart: Chart, reasonAgainst: (sample: Sample) => Implausible | undefined): Items<Sample> {
  const { rejected, reject } = countRejections();
  const rows = new Map<number, Sample>();
  function accept<T>(items: Items<T>): readonly T[] {
    for (const [reason, count] of items.rejected) reject(reason, count);
    return items.accepted;
  }
  for (const [name, column] of COLUMNS) {
    const values = chart[name];
    if (!values && rows.size > 0) reject(`malformed ${name}`);
    const points = accept(readItems(values ?? [], { read: (value) => pointOf(value) ?? 'malformed' }));
    const valueAt = new Map<number, number | null>();
    for (const [at, value] of ordered(points, reject)) {
      const row = rows.get(at) ?? { at, price: null, marketCap: null, volume: null };
      const isContradictory = valueAt.has(at) && valueAt.get(at) !== value;
      if (isContradictory) reject('contradictory');
      row[column] = isContradictory ? null : column === 'price' ? value : plausibleFigure(value);
      valueAt.set(at, value);
      rows.set(at, row);
    }
  }
  const ascending = [...rows.values()].sort((a, b) => a.at - b.at);
  const prices = ascending.map(({ price }) => price);
  const read = ([place, sample]: [number, Sample]) => {
    const isFar = sample.price !== null && isOutlier(sample.price, prices, place);
    return reasonAgainst(sample) ?? (isFar ? 'price' : sample);
  };
  const accepted = accept(readItems(ascending.entries(), { read }));
  return { accepted: [...accepted], missing: [], rejected };
}
