import type { ListedCoin, Token } from '#catalogue/token';
import { DAY, iso } from '#core/clock';
import type { PricedToken } from '#prices/latest/latest-figures';
import type { QuoteRate } from '../currencies.ts';
import { type CoinFigures, changeOver, figuresIn } from './coin-figures.ts';
import { PERIODS, type Period } from './market-record.ts';

const unrounded = (price: number): number => price;
const PERIODS_OF_COIN: readonly Period[] = ['7d', '14d', '30d', '60d', '200d', '1y'];

const PARTS = ['localization', 'tickers', 'market_data', 'community_data', 'developer_data', 'sparkline'] as const;
export type CoinParts = Record<(typeof PARTS)[number], boolean>;

/** CoinGecko serves each image in three sizes, whose names are a part of the path. */
export function imagesOf(image: string | null | undefined) {
  const large = image ?? '';
  return { thumb: large.replace('/large/', '/thumb/'), small: large.replace('/large/', '/small/'), large };
}

/** Objects of nulls, whose members programs read. */
export const COMMUNITY_DATA = {
  facebook_likes: null,
  reddit_average_posts_48h: null,
  reddit_average_comments_48h: null,
  reddit_subscribers: null,
  reddit_accounts_active_48h: null,
  telegram_channel_user_count: null,
};
export const DEVELOPER_DATA = {
  forks: null,
  stars: null,
  subscribers: null,
  total_issues: null,
  closed_issues: null,
  pull_requests_merged: null,
  pull_request_contributors: null,
  code_additions_deletions_4_weeks: { additions: null, deletions: null },
  commit_count_4_weeks: null,
};

/** The figures in each currency with a price, as objects by currency. */
function marketData(priced: PricedToken | undefined, rates: readonly QuoteRate[], sparkline: boolean) {
  const all = rates.flatMap((rate) => {
    const figures = priced && figuresIn(priced, rate, unrounded);
    return figures ? [{ rate, figures }] : [];
  });
  const by = (read: (figures: CoinFigures) => unknown) =>
    Object.fromEntries(all.flatMap(({ rate, figures }) => (read(figures) == null ? [] : [[rate.code, read(figures)]])));
  const over = (period: Period) =>
    Object.fromEntries(
      all.flatMap(({ rate }) => {
        const change = priced ? changeOver(priced, PERIODS[period], rate) : null;
        return change === null ? [] : [[rate.code, change]];
      }),
    );
  const dollars = all.find(({ rate }) => rate.code === 'usd')?.figures;
  const changes = Object.fromEntries([
    ...PERIODS_OF_COIN.map((period) => {
      const { usd = null } = over(period);
      return [`price_change_percentage_${period}`, usd];
    }),
    ...(['1h', ...PERIODS_OF_COIN] as const).map((period) => [
      `price_change_percentage_${period}_in_currency`,
      over(period),
    ]),
  ]);
  const { market, record, at } = priced?.latest ?? {};
  const [cap, diluted] = [dollars?.marketCap ?? null, dollars?.dilutedValuation ?? null];
  return {
    current_price: by(({ price }) => price),
    total_value_locked: null,
    mcap_to_tvl_ratio: null,
    fdv_to_tvl_ratio: null,
    roi: market?.roi ?? null,
    ath: by(({ ath }) => ath.value),
    ath_change_percentage: by(({ ath }) => ath.change),
    ath_date: by(({ ath }) => ath.date),
    atl: by(({ atl }) => atl.value),
    atl_change_percentage: by(({ atl }) => atl.change),
    atl_date: by(({ atl }) => atl.date),
    market_cap: by(({ marketCap }) => marketCap),
    market_cap_rank: market?.market_cap_rank ?? null,
    fully_diluted_valuation: by(({ dilutedValuation }) => dilutedValuation),
    market_cap_fdv_ratio: cap !== null && diluted !== null ? cap / diluted : null,
    total_volume: by(({ volume }) => volume),
    high_24h: by(({ high }) => high),
    low_24h: by(({ low }) => low),
    price_change_24h: dollars?.priceChange ?? null,
    price_change_percentage_24h: dollars?.priceChangePercentage ?? null,
    ...changes,
    market_cap_change_24h: dollars?.capChange ?? null,
    market_cap_change_percentage_24h: dollars?.capChangePercentage ?? null,
    price_change_24h_in_currency: by(({ priceChange }) => priceChange),
    price_change_percentage_24h_in_currency: by(({ priceChangePercentage }) => priceChangePercentage),
    market_cap_change_24h_in_currency: by(({ capChange }) => capChange),
    market_cap_change_percentage_24h_in_currency: by(({ capChangePercentage }) => capChangePercentage),
    total_supply: record?.total_supply ?? null,
    max_supply: record?.max_supply ?? null,
    max_supply_infinite: record !== undefined && record.max_supply === null,
    circulating_supply: record?.circulating_supply ?? null,
    outstanding_supply: null,
    ...(sparkline && { sparkline_7d: { price: priced?.hours(7 * DAY) ?? [] } }),
    last_updated: at === undefined ? null : iso(at),
  };
}

/** A record of `/coins/{id}`. `platforms` is undefined without a stored list. Unknown members are empty. */
export function coinRecord(
  { name, symbol, title }: Pick<Token, 'name' | 'symbol' | 'title'>,
  priced: PricedToken | undefined,
  rates: readonly QuoteRate[],
  platforms: ListedCoin['platforms'] | undefined,
  parts: CoinParts,
  contract: string | undefined,
): object {
  const { market, at } = priced?.latest ?? {};
  // This is how CoinGecko describes the native coin of a chain.
  const native = platforms !== undefined && Object.keys(platforms).length === 0;
  const addresses = native ? { '': '' } : (platforms ?? {});
  const [only, ...others] = Object.keys(addresses);
  return {
    id: name,
    symbol,
    name: title,
    web_slug: name,
    // CoinGecko's list does not say which of several platforms is the coin's own.
    asset_platform_id: (others.length === 0 && only) || null,
    platforms: addresses,
    detail_platforms: Object.fromEntries(
      Object.entries(addresses).map(([platform, address]) => [
        platform,
        { decimal_place: null, contract_address: address },
      ]),
    ),
    block_time_in_minutes: 0,
    hashing_algorithm: null,
    categories: [],
    preview_listing: false,
    public_notice: null,
    additional_notices: [],
    ...(parts.localization && { localization: { en: title } }),
    description: { en: '' },
    links: {
      ...{ homepage: [], whitepaper: '', blockchain_site: [], official_forum_url: [], chat_url: [] },
      ...{ announcement_url: [], twitter_screen_name: '', facebook_username: '', telegram_channel_identifier: '' },
      ...{ subreddit_url: '', repos_url: { github: [], bitbucket: [] } },
    },
    image: imagesOf(market?.image),
    country_origin: '',
    genesis_date: null,
    ...(contract !== undefined && { contract_address: contract }),
    sentiment_votes_up_percentage: null,
    sentiment_votes_down_percentage: null,
    watchlist_portfolio_users: 0,
    market_cap_rank: market?.market_cap_rank ?? null,
    ...(parts.market_data && { market_data: marketData(priced, rates, parts.sparkline) }),
    ...(parts.community_data && { community_data: COMMUNITY_DATA }),
    ...(parts.developer_data && { developer_data: DEVELOPER_DATA }),
    status_updates: [],
    last_updated: at === undefined ? null : iso(at),
    ...(parts.tickers && { tickers: [] }),
  };
}
