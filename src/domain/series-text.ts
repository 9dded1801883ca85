import type { Sample } from './sample.ts';

const ARRAYS = [
  ['prices', 'price'],
  ['market_cap', 'marketCap'],
  ['total_volume', 'volume'],
] as const;

/**
 * A price series as JSON text: `prices`, `market_cap` and `total_volume`, each an array of `{date, price}` with
 * `date` an HTTP-date. An HTTP-date has whole seconds, so of two samples in one second the later one stays; a
 * figure that the source has not is left out of its array only.
 *
 * Written by hand because a window of thirteen years is 14,000 points, and each date serves three of them.
 *
 * @param samples ascending
 */
export function seriesToJson(samples: readonly Sample[]): string {
  const opening = samples.map(({ at }) => `{"date":"${new Date(at).toUTCString()}","price":`);
  const arrays = ARRAYS.map(([name, column]) => {
    const points: string[] = [];
    let previous = Number.NaN;
    samples.forEach((sample, i) => {
      const figure = sample[column];
      if (figure === null) return;
      const second = Math.floor(sample.at / 1000);
      if (second === previous) points.pop();
      previous = second;
      points.push(`${opening[i]}${figure}}`);
    });
    return `"${name}":[${points.join(',')}]`;
  });
  return `{${arrays.join(',')}}`;
}

/** A price series as CSV (RFC 4180) with a header line and ISO 8601 dates; an unknown figure is an empty field. */
export function seriesToCsv(samples: readonly Sample[]): string {
  const lines = samples.map(({ at, price, marketCap, volume }) =>
    [new Date(at).toISOString(), price, marketCap, volume].join(','),
  );
  return ['date,price,market_cap,total_volume', ...lines, ''].join('\r\n');
}
