import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '#core/clock';
import { dayChange } from '#prices/latest/latest-rows';
import { createSeries, POINTS } from '#prices/model/series';

const AT = Date.UTC(2026, 4, 15, 14, 10, 6);

/** Samples at the given distances, in seconds, from the time 24 hours ago, each with a price. */
const series = (...samples: readonly [seconds: number, price: number | null][]) =>
  createSeries(
    POINTS,
    samples.map(([seconds, price]) => ({
      at: AT - DAY + seconds * SECOND,
      price,
      marketCap: null,
      volume: null,
    })),
  );

it('equals the result of a search through all samples', () => {
  const offset = fc.integer({ min: -45 * 60, max: 45 * 60 });
  const price = fc.option(fc.double({ min: 1e-9, max: 1e6, noNaN: true }));
  const samples = fc.uniqueArray(fc.tuple(offset, price), {
    selector: ([seconds]) => seconds,
    maxLength: 40,
  });
  fc.assert(
    fc.property(samples, fc.double({ min: 1e-9, max: 1e6, noNaN: true }), (all, now) => {
      const known = all
        .filter(([seconds, price]) => price !== null && Math.abs(seconds) * SECOND <= 30 * MINUTE)
        .sort(([a], [b]) => Math.abs(a) - Math.abs(b) || a - b);
      const before = known[0]?.[1];
      const change = dayChange([series(...all.sort(([a], [b]) => a - b))], now, AT);
      if (before == null) expect(change).toBeNull();
      else expect(change).toBeCloseTo((now / before - 1) * 100, 3 - Math.log10(Math.max(1, now / before)));
    }),
  );
});
