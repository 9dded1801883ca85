import type { Session } from '../account/session.ts';
import type { ApiCall } from './api-call.ts';
import { type Result, staleReason } from './result.ts';

/** How long an answer is reused, in ms: going back and forth on the page costs no calls. */
const REUSE_MS = 60_000;

/** Fetches market data and reuses each answer for a minute. */
export function createMarketData(session: Session) {
  const cache = new Map<string, { result: Promise<Result<object>>; at: number }>();

  async function load<T extends object>(call: ApiCall<T>): Promise<Result<T>> {
    const { client } = session;
    const value = await call.send(client);
    const about = client.about(value);
    return {
      value,
      fetchedAt: about?.age === undefined ? undefined : new Date(Date.now() - about.age * 1000),
      stale: staleReason(about?.cacheStatus),
      gaps: about?.gaps ?? [],
      sources: about?.sources ?? [],
    };
  }

  return {
    /** Rejects as the client does. `refresh` calls the service even if the answer is less than a minute old. */
    fetch<T extends object>(call: ApiCall<T>, { refresh = false } = {}): Promise<Result<T>> {
      const { path } = call;
      const cached = cache.get(path);
      const now = performance.now();
      if (cached && !refresh && now - cached.at < REUSE_MS) return cached.result as Promise<Result<T>>;
      const result = load(call);
      cache.set(path, { result, at: now });
      result.catch(() => {
        if (cache.get(path)?.result === result) cache.delete(path);
      });
      return result;
    },
    clear: () => cache.clear(),
  };
}

export type MarketData = ReturnType<typeof createMarketData>;
