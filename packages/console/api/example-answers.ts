import type { Candle, PriceSeries, TokenPrice, TokenStatistics, Usage } from '../../client/index.ts';

const MIDNIGHT = new Date('2024-01-01T00:00:00Z');
const points = (price: number) => [{ date: MIDNIGHT, price }];

type Examples = {
  latest: TokenPrice[];
  chart: PriceSeries;
  candles: Candle[];
  statistics: TokenStatistics;
  usage: Usage;
};

/** What calls answer, for whoever has no answer yet. */
export const EXAMPLES: Examples = {
  latest: [
    {
      tokenName: 'bitcoin',
      symbol: 'btc',
      at: MIDNIGHT,
      change_24h: -1.25,
      current_price: 42280,
      market_cap: 828123456789,
      total_volume: 14123456789,
      circulating_supply: 19587000,
      total_supply: 21000000,
      max_supply: 21000000,
      ath: 69045,
      ath_change_percentage: -38.77,
      ath_date: new Date('2021-11-10T14:24:11Z'),
      atl: 67.81,
      atl_change_percentage: 62251.05,
      atl_date: new Date('2013-07-06T00:00:00Z'),
    },
  ],
  chart: {
    prices: points(42280.2346),
    market_cap: points(828123456789.5),
    total_volume: points(14123456789.25),
  },
  candles: [
    { date: MIDNIGHT, open: 42280.2, high: 44200, low: 42170.1, close: 44170.9, volume: 1875.12345678 },
  ],
  statistics: {
    id: null,
    time: MIDNIGHT,
    symbol: 'BTC',
    partner_symbol: 'BTC',
    zero_balance_addresses_all_time: null,
    unique_addresses_all_time: null,
    new_addresses: null,
    active_addresses: 853402,
    average_transaction_value: 1.27,
    block_height: 823786,
    hashrate: 514000000,
    difficulty: 72006146478567,
    block_time: 568,
    block_size: 1703421,
    current_supply: 19587000,
    transaction_count: 617203,
    transaction_count_all_time: 946301507,
    large_transaction_count: null,
  },
  usage: {
    limit: 10000,
    used: 877,
    remaining: 9123,
    periodStart: MIDNIGHT,
    resetsAt: new Date('2024-02-01T00:00:00Z'),
    validUntil: new Date('2024-02-01T00:00:00Z'),
    daily: [{ date: '2024-01-01', calls: 877 }],
  },
};
