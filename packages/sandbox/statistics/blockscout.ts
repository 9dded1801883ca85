import { type Answer, DAY, HOUR, iso, jsonReply, routed, SECOND, type Setting, type Upstream } from '../upstream.ts';
import { createChainFigures } from './arweave.ts';

const PAGE = 50;

/** A Blockscout explorer's `/stats` and first page of `/blocks`. `requiresKey`: requires a key of any value. */
export function createBlockscout({ seed, clock }: Setting, prefix = '/ethereum', requiresKey = false): Upstream {
  const chain = createChainFigures(seed, 'ethereum');

  function stats({ now }: { now: number }): Answer {
    // Totals are updated every 30 minutes. `transactions_today` is the count of the last full day.
    const updatedAt = Math.floor(now / (HOUR / 2)) * (HOUR / 2);
    const midnight = Math.floor(now / DAY) * DAY;
    return jsonReply(200, {
      average_block_time: chain.blockSeconds * SECOND,
      total_addresses: String(chain.addressesAt(updatedAt)),
      total_transactions: String(chain.transactionsAt(updatedAt)),
      transactions_today: String(chain.transactionsAt(midnight) - chain.transactionsAt(midnight - DAY)),
    });
  }

  function blocks({ now }: { now: number }): Answer {
    const newest = chain.heightAt(now);
    const items = Array.from({ length: Math.min(PAGE, newest + 1) }, (_, back) => ({
      height: newest - back,
      size: chain.blockBytesAt(newest - back),
      timestamp: iso(chain.blockAt(newest - back)).replace('Z', '000Z'),
      type: 'block',
    }));
    const next = { block_number: newest - items.length + 1, items_count: items.length };
    return jsonReply(200, { items, next_page_params: next });
  }

  const routes = { 'GET /stats': stats, 'GET /blocks': blocks };
  const upstream = routed(prefix, clock, routes, () => jsonReply(404, { message: 'Not found' }));
  if (!requiresKey) return upstream;
  const unauthorized = jsonReply(401, { message: 'Unauthorized' });
  return {
    prefix,
    answer: (request) =>
      /^Bearer \S+$/.test(request.headers.authorization ?? '') ? upstream.answer(request) : unauthorized,
  };
}
