import type { Token, TokenName } from '#catalogue/token';
import { convertLatest } from '#prices/currencies/conversion';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import { type Currency, DOLLAR } from '#prices/model/currency';
import type { StreamedPrice } from './latest-records.ts';
import { type LatestValuations, priceOf, toRecord } from './latest-response.ts';

type Named = Pick<Token, 'name' | 'symbol'>;
type Row = ReturnType<typeof priceOf>;
type Dependencies = {
  archive: Pick<ArchiveCache, 'latest' | 'series' | 'load'>;
  valuations: LatestValuations;
};

const write = (row: Row): string => {
  const price: StreamedPrice = { ...toRecord(row), source: row.latest?.sources[0]?.source ?? null };
  return JSON.stringify(price);
};

/** Creates the function that writes the data of price events. */
export function createPriceEvents({ archive, valuations }: Dependencies) {
  /** Omits prices for which no rate is known. */
  async function inCurrency(rows: readonly Row[], currency: Currency): Promise<readonly Row[]> {
    const records = rows.flatMap(({ latest }) => latest?.record ?? []);
    if (records.length === 0) return rows;
    const { now, usdRate } = await valuations.ofLatest(currency, records);
    return rows.flatMap((row) => {
      if (!row.latest) return [row];
      const record = convertLatest(row.latest.record, now, usdRate);
      return record ? [{ ...row, latest: { ...row.latest, record } }] : [];
    });
  }

  /** Returns the texts of the tokens in memory, by token. Loads the other tokens for the next call. */
  return async function priceEvents(tokens: readonly Named[], currency: Currency): Promise<Map<TokenName, string>> {
    const rows = tokens.flatMap((token) => (archive.load(token.name) === undefined ? [priceOf(archive, token)] : []));
    const converted = currency === DOLLAR ? rows : await inCurrency(rows, currency);
    return new Map(converted.map((row) => [row.name, write(row)]));
  };
}

export type PriceEvents = ReturnType<typeof createPriceEvents>;
