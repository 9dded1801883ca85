import { isoDate } from '#core/clock';
import type { Currency } from '#prices/model/currency';
import type { Window } from '#prices/model/interval';

/**
 * What a file with the figures of a window is called, without an ending, such as `bitcoin-2026-01-01-2026-01-31-eur`.
 * @param about what the figures are
 */
export function fileName(
  about: readonly string[],
  { interval, span: { from, thru } }: Pick<Window, 'interval' | 'span'>,
  currency?: Currency,
): string {
  const dates = new Set([isoDate(from), isoDate(thru)]);
  const parts = [...about, interval === 'day' ? [] : interval, ...dates, currency ?? []].flat();
  // In a header field, and on whatever disk it is saved to.
  return parts.join('-').replace(/[^\w.-]/g, '_');
}
