import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import type { Interval } from '#prices/model/interval';
import type { SeriesStore } from '#prices/series/series-store';

type Row = { at: number; final: boolean };

/** The plausible rows of a series that are stored in a span. */
export async function storedRows<Stored extends Row>(
  store: Pick<SeriesStore<Stored>, 'rowsFrom'>,
  token: TokenName,
  interval: Interval,
  span: Span,
): Promise<Stored[]> {
  const [rows = []] = await store.rowsFrom([{ token, interval, from: span.from }], span, 1_000_000);
  return rows;
}
