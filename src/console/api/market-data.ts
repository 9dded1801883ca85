import type { LatestPrice, PriceSeries, TokenStatistics } from '../../client/index.ts';
import type { Session } from '../account/session.ts';
import { type ApiCall, requestOf } from './api-call.ts';
import { type Result, staleReason } from './result.ts';

/** How long an answer is reused, in ms: going back and forth on the page costs no calls. */
const REUSE_MS = 60_000;

type Answers = {
  latest: LatestPrice;
  days: PriceSeries;
  range: PriceSeries;
  statistics: TokenStatistics;
};
type Kind = keyof Answers;
type MarketCall = Extract<ApiCall, { kind: Kind }>;

function send({ client }: Session, call: MarketCall): Promise<Answers[Kind]> {
  switch (call.kind) {
    case 'latest':
      return client.latestPrice(call.token);
    case 'days':
      return client.priceHistory(call.token, { days: call.days });
    case 'range':
      return client.priceRange(call.token, { from: call.from, thru: call.thru });
    case 'statistics':
      return client.statistics(call.token);
  }
}

/** Fetches market data and reuses each answer for a minute. */
export function createMarketData(session: Session) {
  const cache = new Map<string, { result: Promise<Result<Answers[Kind]>>; at: number }>();

  async function load(call: MarketCall): Promise<Result<Answers[Kind]>> {
    const { client } = session;
    const value = await send(session, call);
    const about = client.about(value);
    return {
      value,
      fetchedAt: about?.age === undefined ? undefined : new Date(Date.now() - about.age * 1000),
      stale: staleReason(about?.cacheStatus),
      gaps: about?.gaps ?? [],
      source: about?.source,
    };
  }

  return {
    /** Rejects as the client does. `refresh` calls the service even if the answer is less than a minute old. */
    fetch<K extends Kind>(
      call: Extract<MarketCall, { kind: K }>,
      { refresh = false } = {},
    ): Promise<Result<Answers[K]>> {
      const { path } = requestOf(call);
      const cached = cache.get(path);
      const now = performance.now();
      if (cached && !refresh && now - cached.at < REUSE_MS)
        return cached.result as Promise<Result<Answers[K]>>;
      const result = load(call);
      cache.set(path, { result, at: now });
      result.catch(() => {
        if (cache.get(path)?.result === result) cache.delete(path);
      });
      return result as Promise<Result<Answers[K]>>;
    },
    clear: () => cache.clear(),
  };
}

export type MarketData = ReturnType<typeof createMarketData>;
