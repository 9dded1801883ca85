import { z } from 'zod';
import { beginningOf, type Catalogue } from '#catalogue/catalogue';
import { BUILT_IN_TOKENS, type TokenName } from '#catalogue/token';
import { type Clock, iso } from '#core/clock';
import type { LatestPrice, MarketFigures } from '#prices/model/prices-records';
import type { Quote } from '#prices/model/sample';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createItemReport, type Dropped, readItems, readMembers } from '#upstream/items/items';
import { FIRST_BLOCK, implausible, implausibleTime, plausibleFigure, positiveFigure } from '#upstream/items/plausible';
import { numberOrNumericString } from '#upstream/transport/json-response';
import type { Upstream } from '#upstream/transport/upstream';
import { type createReader, reported } from './coingecko-wire.ts';

/** CoinGecko's largest page. The default of 100 coins would omit the coins with the smallest market caps. */
export const PER_PAGE = 250;
/** The maximum length of `ids`, in characters. Longer URLs are rejected by some servers. */
const IDS_LENGTH = 6_000;
/** The maximum size of a response in bytes. A token's record takes about 1 KB. */
const MARKETS_BYTES = 44 * 1024;
const MARKET_BYTES = 4 * 1024;
const MORE_TOKENS = 250;
const PATH = '/coins/markets';

/** A token that is always traded. Its price, at no cost, shows whether the source works if others are delisted. */
const WITNESS: TokenName = BUILT_IN_TOKENS[0].name;

export function pagesOf(tokens: readonly TokenName[]): TokenName[][] {
  const pages: TokenName[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const token of tokens) {
    length += token.length + '%2C'.length;
    const page = pages.at(-1);
    if (page && page.length < PER_PAGE && length <= IDS_LENGTH) page.push(token);
    else {
      pages.push([token]);
      length = token.length;
    }
  }
  return pages;
}

const positive = numberOrNumericString.transform(positiveFigure);

/** A date after `now` (Unix ms) or before the first block is malformed. */
function figuresAt(now: number) {
  const date = z.iso
    .datetime({ offset: true })
    .refine((text) => implausibleTime(FIRST_BLOCK, Date.parse(text), now) === undefined)
    .transform((text) => new Date(text).toUTCString());
  return {
    market_cap: positive,
    total_volume: numberOrNumericString.transform(plausibleFigure),
    circulating_supply: positive,
    total_supply: positive,
    max_supply: positive,
    ath: positive,
    ath_change_percentage: numberOrNumericString,
    ath_date: date,
    atl: positive,
    atl_change_percentage: numberOrNumericString,
    atl_date: date,
  };
}

const IMAGE_LENGTH = 500;

/** The figures that are not part of the latest price. A malformed figure is null. */
const FURTHER = {
  image: z.string().max(IMAGE_LENGTH),
  market_cap_rank: numberOrNumericString.pipe(z.int().positive()),
  fully_diluted_valuation: positive,
  high_24h: positive,
  low_24h: positive,
  price_change_24h: numberOrNumericString,
  price_change_percentage_24h: numberOrNumericString,
  market_cap_change_24h: numberOrNumericString,
  market_cap_change_percentage_24h: numberOrNumericString,
  roi: z.object({ times: numberOrNumericString, currency: z.string().max(20), percentage: numberOrNumericString }),
};
const UPDATED = { last_updated: z.iso.datetime({ offset: true }).transform(Date.parse) };

type RecordedQuote = Quote & { record: LatestPrice; market: MarketFigures };
/** `record` is null if CoinGecko lists the coin without a price. */
type Market = { token: TokenName; at: number } & (
  | { record: LatestPrice; market: MarketFigures }
  | { record: null; market?: undefined }
);

export type MarketQuotes = {
  quotes: RecordedQuote[];
  unpriced: TokenName[];
  /** The requested tokens without a usable item in the response. */
  missing: TokenName[];
};

type Dependencies = {
  send: Upstream['send'];
  read: ReturnType<typeof createReader>;
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  dropped: Dropped;
  /** A response is a failure if even the newest price is older than this, in ms. */
  frozenAfter: () => number;
};

export function createMarkets({ send, read, catalogue, clock, dropped, frozenAfter }: Dependencies) {
  const reportItems = createItemReport('coingecko', dropped);

  function readMarkets(values: readonly unknown[], requested: readonly TokenName[], now: number) {
    const wanted: ReadonlySet<unknown> = new Set(requested);
    const figures = figuresAt(now);
    return readItems<Market, TokenName>(values, {
      requested,
      keyOf: ({ token }) => token,
      read(value, nulled) {
        const { id, current_price: price }: { id?: unknown; current_price?: unknown } = Object(value);
        if (typeof id !== 'string') return 'malformed';
        if (!wanted.has(id)) return undefined;
        const current_price = price === undefined ? undefined : reported(price);
        if (current_price === undefined) return 'malformed';
        const at = readMembers(value, UPDATED, nulled).last_updated ?? now;
        if (current_price === null) return { token: id, at, record: null };
        const reason = implausible(beginningOf(catalogue.named(id)), { at, price: current_price }, now);
        if (reason) return reason;
        const record = { current_price, ...readMembers(value, figures, nulled) };
        return { token: id, at, record, market: readMembers(value, FURTHER, nulled) };
      },
    });
  }

  /** Returns the latest prices of at most one page of tokens. Throws `UpstreamFailure`. */
  return async function markets(tokens: readonly TokenName[]): Promise<MarketQuotes> {
    const hasWitness = tokens.length < PER_PAGE || tokens.includes(WITNESS);
    const requested = [...new Set(hasWitness ? [...tokens, WITNESS] : tokens)];
    const query = { vs_currency: 'usd', ids: requested.join(','), per_page: String(PER_PAGE), page: '1' };
    const maxBytes = MARKETS_BYTES + MARKET_BYTES * (tokens.length + 1);
    return send({ path: PATH, query, maxBytes }, (response) => {
      const now = clock.now();
      const values = read(z.array(z.unknown()).max(requested.length + MORE_TOKENS), response, now);
      const { accepted, missing } = reportItems(PATH, readMarkets(values, requested, now));
      const isUnpriced = ({ record }: Market) => record === null;
      const witness = accepted.find(({ token }) => token === WITNESS);
      if (accepted.every((market) => market === witness && isUnpriced(market)))
        throw new UpstreamFailure('coingecko', 'empty', 'none of the requested tokens');
      const newest = Math.max(...accepted.filter((market) => !isUnpriced(market)).map(({ at }) => at));
      // Without the witness, a response with only delisted tokens would look like a response of a frozen source.
      const isConclusive = Number.isFinite(newest) && (!hasWitness || witness !== undefined);
      if (isConclusive && now - newest > frozenAfter())
        throw new UpstreamFailure('coingecko', 'stale', `the newest price is from ${iso(newest)}`);
      const ofPage: ReadonlySet<TokenName> = new Set(tokens);
      const listed = accepted.filter(({ token }) => ofPage.has(token));
      return {
        quotes: listed.flatMap(({ token, at, record, market }) =>
          record ? [{ token, price: record.current_price, at, record, market }] : [],
        ),
        unpriced: listed.filter(isUnpriced).map(({ token }) => token),
        missing: missing.filter((token) => ofPage.has(token)),
      };
    });
  };
}
