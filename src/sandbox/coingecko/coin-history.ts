import { type TokenName, tokenNamed } from '#domain/market/token';
import { priceAt } from '#sandbox/price-model';
import { dailySample, publishedMidnight } from './chart.ts';
import { COINS } from './coins.ts';
import { rubyFloat } from './ruby-float.ts';

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'pl', 'ro', 'hu', 'nl', 'pt', 'sv', 'vi', 'tr', 'id'];

// Units for one US dollar, in the order of the real record: "usd" is not the first.
const PER_DOLLAR = { aed: 3.6725, aud: 1.5, brl: 5.4, btc: null, cad: 1.37, chf: 0.88, cny: 7.2, eth: null };
const MORE_PER_DOLLAR = { eur: 0.92, gbp: 0.79, inr: 83.5, jpy: 150, krw: 1350, usd: 1, zar: 18.4 };

/** A value in every currency; in that of a coin only after its listing. Null stays null. */
function inCurrencies(seed: number, dollars: number | null, at: number): Record<string, unknown> {
  const bitcoin = priceAt(seed, 'bitcoin', at);
  const ether = priceAt(seed, 'ethereum', at);
  const rates: Record<string, number | null> = {
    ...PER_DOLLAR,
    btc: bitcoin && 1 / bitcoin,
    eth: ether && 1 / ether,
    ...MORE_PER_DOLLAR,
    bits: bitcoin && 1e6 / bitcoin,
    sats: bitcoin && 1e8 / bitcoin,
  };
  const known = Object.entries(rates).filter(([, rate]) => rate !== null);
  return Object.fromEntries(
    known.map(([code, rate]) => [code, dollars === null ? null : rubyFloat(dollars * Number(rate))]),
  );
}

/**
 * The answer of `/coins/{id}/history` for one midnight (Unix ms). `market_data` is absent before the listing, on a
 * day that the daily series lacks, and while that day is not yet published at `now`.
 */
export function coinHistory(
  seed: number,
  token: TokenName,
  midnight: number,
  now: number,
  localized: boolean,
): unknown {
  const coin = COINS[token];
  const image = (size: string) =>
    `https://coin-images.coingecko.com/coins/images/${coin.image.replace('*', size)}`;
  const sample = midnight <= publishedMidnight(now) ? dailySample(seed, token, midnight) : null;
  return {
    id: token,
    symbol: tokenNamed(token).symbol,
    name: coin.title,
    ...(localized && { localization: Object.fromEntries(LANGUAGES.map((code) => [code, coin.title])) }),
    image: { thumb: image('thumb'), small: image('small') },
    ...(sample && {
      market_data: {
        current_price: inCurrencies(seed, sample.price, midnight),
        market_cap: inCurrencies(seed, sample.marketCap, midnight),
        total_volume: inCurrencies(seed, sample.volume, midnight),
      },
    }),
    community_data: {
      facebook_likes: null,
      twitter_followers: null,
      reddit_average_posts_48h: rubyFloat(0),
      reddit_average_comments_48h: rubyFloat(0),
      reddit_subscribers: null,
      // A string, as in the real record.
      reddit_accounts_active_48h: '120.0',
    },
    developer_data: {
      forks: null,
      stars: null,
      subscribers: null,
      total_issues: null,
      closed_issues: null,
      pull_requests_merged: null,
      pull_request_contributors: null,
      code_additions_deletions_4_weeks: { additions: null, deletions: null },
      commit_count_4_weeks: null,
    },
    public_interest_stats: { alexa_rank: null, bing_matches: null },
  };
}
