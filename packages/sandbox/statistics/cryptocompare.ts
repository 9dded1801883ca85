import { type Answer, DAY, jsonReply, SECOND, type Setting, type Upstream } from '../upstream.ts';
import { type ChainFigures, createChainFigures, DIFFICULTY } from './arweave.ts';

const LISTED = { BTC: { id: 1182, token: 'bitcoin' }, ETH: { id: 7605, token: 'ethereum' } } as const;
type Listed = keyof typeof LISTED;
const isListed = (fsym: string): fsym is Listed => Object.hasOwn(LISTED, fsym);

const oldError = (type: number, message: string, more: object): Answer =>
  jsonReply(200, {
    Response: 'Error',
    Message: message,
    HasWarning: false,
    Type: type,
    RateLimit: {},
    Data: {},
    ...more,
  });

const overRateLimit = (): Answer =>
  oldError(99, 'You are over your rate limit please upgrade your account!', {
    RateLimit: { calls_made: { second: 1, minute: 301 }, max_calls: { second: 20, minute: 300 } },
  });

function latest(fsym: Listed, chain: ChainFigures, now: number): Answer {
  // A record contains the totals at midnight and the counts of the previous day.
  const midnight = Math.floor(now / DAY) * DAY;
  const transactions = chain.transactionsAt(midnight);
  const before = chain.transactionsAt(midnight - DAY);
  const addresses = chain.addressesAt(midnight);
  const difficulty = fsym === 'BTC' ? DIFFICULTY : 0;
  const record = {
    id: LISTED[fsym].id,
    time: midnight / SECOND,
    symbol: fsym,
    partner_symbol: fsym,
    zero_balance_addresses_all_time: Math.floor(addresses * 0.96),
    unique_addresses_all_time: addresses,
    new_addresses: addresses - chain.addressesAt(midnight - DAY),
    active_addresses: Math.floor((transactions - before) * 1.7),
    average_transaction_value: fsym === 'BTC' ? 1.3874210937 : 0.9412683,
    block_height: chain.heightAt(midnight),
    hashrate: (difficulty * 2 ** 32) / chain.blockSeconds / 1e12,
    difficulty,
    block_time: chain.blockSeconds,
    block_size: chain.blockBytes,
    current_supply: chain.supplyAt(midnight),
    transaction_count: transactions - before,
    transaction_count_all_time: transactions,
    large_transaction_count: Math.floor((transactions - before) * 0.03),
  };
  const envelope = { Response: 'Success', Message: '', HasWarning: false, Type: 100, RateLimit: {} };
  return jsonReply(200, { ...envelope, Data: record });
}

/** The stand-in for CryptoCompare, with BTC and ETH. It accepts any key. */
export function createCryptoCompare({ seed, clock }: Setting): Upstream {
  return {
    prefix: '/cryptocompare',
    rateLimited: overRateLimit,
    answer({ query }) {
      const fsym = query.get('fsym') ?? '';
      return isListed(fsym)
        ? latest(fsym, createChainFigures(seed, LISTED[fsym].token), clock.now())
        : oldError(2, `There is no data for the symbol ${fsym} .`, { ParamWithError: 'fsym' });
    },
  };
}
