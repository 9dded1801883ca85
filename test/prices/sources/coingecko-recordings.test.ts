import { describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES, type TokenName } from '#catalogue/token';
import { latestPrice } from '#prices/model/prices-records';
import type { Sample } from '#prices/model/sample';
import { haveRecordings, recording, recordingNames } from '../../support/upstream/recordings.ts';
import { openTestSource } from '../../support/upstream/source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

type Column = [at: number, value: number | null][];
type Recorded = { prices: Column; market_caps: Column; total_volumes: Column };

/** The kind of a recording by its file name's prefix, and its status if that was not recorded. */
const KINDS = {
  charts: /^(docs_example_)?(contract_)?market_chart_/,
  quotes: /^(docs_example_)?coins_markets_/,
  errors: /^err_(4|cloudflare_)/,
  outages: /^err_5/,
  /** The service does not call these paths. */
  others:
    /^((docs_example_|fixture_)?(asset_platforms|coins_(contract|id|list)|exchange_rates|global|history|key|ohlc|ohlc_range|search|simple_(price|token_price)|supported_vs_currencies|token_lists)_|openapi_)/,
};
const names = recordingNames('coingecko');
const of = (kind: keyof typeof KINDS) => names.filter((name) => KINDS[kind].test(name));

/** The headers that the client uses. The recordings contain them in a separate text file. */
const RETRY_AFTER = { 'err_429_rate_limit_2022-09-29.json': '119' } as Record<string, string>;

/** At least five names, and as many as in the recording, because the size limit depends on the number of tokens. */
const requested = (recorded: readonly unknown[]) =>
  Array.from(
    { length: Math.max(recorded.length, BUILT_IN_NAMES.length) },
    (_, i) => BUILT_IN_NAMES[i % BUILT_IN_NAMES.length] as TokenName,
  );

function served(name: string) {
  const status = /^err_(\d{3})_/.exec(name)?.[1] ?? (name.startsWith('err_') ? '429' : '200');
  const response = recording('coingecko', name, Number(status));
  const retryAfter = RETRY_AFTER[name];
  if (retryAfter) response.headers['retry-after'] = retryAfter;
  upstream.follow(() => response);
  return { response, source: openTestSource(upstream.url, { now: '2026-11-22T00:00:00Z' }) };
}

describe.runIf(haveRecordings)('recorded responses of CoinGecko', () => {
  test('every recording has a test', () => {
    const kinds = Object.values(KINDS);
    expect(names.filter((name) => kinds.filter((kind) => kind.test(name)).length !== 1)).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });

  test.each(of('charts'))('%s: every value at its own time', async (name) => {
    const { response, source } = served(name);
    const samples = await source.recent('bitcoin', 1);
    await source.close();
    const recorded = JSON.parse(String(response.body)) as Recorded;
    const received = (figure: keyof Omit<Sample, 'at'>) => samples.map((sample) => [sample.at, sample[figure]]);
    const ascending = (column: Column) => [...column].sort((a, b) => a[0] - b[0]);
    expect(received('price')).toEqual(ascending(recorded.prices));
    expect(received('marketCap')).toEqual(ascending(recorded.market_caps));
    expect(received('volume')).toEqual(ascending(recorded.total_volumes));
  });

  test.each(of('quotes'))('%s: the latest record of each token', async (name) => {
    const { response, source } = served(name);
    const recorded = JSON.parse(String(response.body)) as Record<string, number | string | null>[];
    const { quotes } = await source.quotes(requested(recorded));
    await source.close();
    const mine = recorded.filter(({ id }) => BUILT_IN_NAMES.some((token) => token === id));
    expect(quotes.map(({ token }) => token)).toEqual(mine.map(({ id }) => id));
    quotes.forEach(({ record, at }, i) => {
      const coin = mine[i] ?? {};
      expect(latestPrice.parse(record)).toEqual(record);
      expect(new Date(at).toISOString()).toBe(coin.last_updated);
      for (const [field, value] of Object.entries(record)) {
        const isDate = field.endsWith('_date');
        expect(value).toBe(isDate ? new Date(String(coin[field])).toUTCString() : coin[field]);
      }
    });
  });

  test('the list of 2023 contains all five tokens', async () => {
    const { response, source } = served('coins_markets_usd_per_page250_2023-07-28.json');
    const { quotes } = await source.quotes(requested(JSON.parse(String(response.body))));
    await source.close();
    expect(quotes.map(({ token }) => token).sort()).toEqual([...BUILT_IN_NAMES].sort());
  });

  const REASONS: [prefix: string, reason: string][] = [
    ['err_400_', 'refused'],
    ['err_401_10012_', 'out_of_reach'],
    ['err_404_', 'refused'],
    ['err_422_', 'refused'],
    ['err_429_', 'rate_limited'],
    ['err_cloudflare_1015_', 'rate_limited'],
  ];

  test.each(of('errors'))('%s has the right cause, and is not retried', async (name) => {
    const reason = REASONS.find(([prefix]) => name.startsWith(prefix))?.[1];
    const { source } = served(name);
    const before = upstream.calls.length;
    const retryAfter = RETRY_AFTER[name] && Number(RETRY_AFTER[name]);
    await expect(source.recent('bitcoin', 2)).rejects.toMatchObject({
      reason,
      ...(retryAfter && { retryAfter }),
    });
    expect(upstream.calls.length).toBe(before + 1);
    await source.close();
  });

  test.each(of('outages'))('%s is retried, and reported as a failure of the upstream', async (name) => {
    const { source } = served(name);
    const before = upstream.calls.length;
    await expect(source.recent('bitcoin', 1)).rejects.toMatchObject({ reason: 'server_error' });
    expect(upstream.calls.length).toBe(before + 3);
    await source.close();
  });

  test.each(of('others'))('%s is rejected as a chart and as a price', async (name) => {
    const { source } = served(name);
    // The API description is longer than any requested response.
    const isLong = name.startsWith('openapi_');
    await expect(source.recent('bitcoin', 1)).rejects.toMatchObject({
      reason: isLong ? 'too_large' : 'unexpected',
    });
    // The items of the documentation's list are coins that were not requested.
    const reason = isLong ? 'too_large' : name.startsWith('docs_example_coins_list') ? 'empty' : 'unexpected';
    await expect(source.quotes(BUILT_IN_NAMES)).rejects.toMatchObject({ reason });
    await source.close();
  });
});
