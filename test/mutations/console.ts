import type { Mutations } from './mutation.ts';

/** What the page shows of prices and candles, and what it asks for. */
export const page: Mutations[] = [
  {
    file: 'packages/console/api/api-call.ts',
    tests: ['console/price-table.test.ts'],
    changes: [
      ['Math.ceil(rest / TOKENS_PER_CALL)', 'Math.floor(rest / TOKENS_PER_CALL)'],
      ['const MOST_TOKENS = 100', 'const MOST_TOKENS = 101'],
    ],
  },
  {
    file: 'packages/console/api/api-call.ts',
    tests: ['console/snippets.test.ts'],
    changes: [['client.candles(token, { from, thru, interval }', 'client.candles(token, { from, thru }']],
  },
  {
    file: 'packages/console/prices/sorting.ts',
    tests: ['console/price-table.test.ts'],
    changes: [
      ['Number(left === undefined) - Number(right === undefined)', 'way'],
      ["column === 'title' ? 'ascending' : 'descending'", "'descending'"],
      ['way * (left - right)', 'left - right'],
    ],
  },
  {
    file: 'packages/console/prices/search.ts',
    tests: ['console/price-table.test.ts'],
    changes: [['typed.trim().toLowerCase()', 'typed.toLowerCase()']],
  },
  {
    file: 'packages/console/prices/quotes.ts',
    tests: ['console/quotes.test.ts'],
    changes: [
      ['isOfOneTime ? fetchedAt', 'fetchedAt ? fetchedAt'],
      ['newest - FRESH_MS', 'newest'],
      ['quotes.filter((quote) => !isBehind(quote, newest))', 'quotes'],
      ['if (wanted !== currency) return;\n          for', 'for'],
      ['markOld(names, toError(error));', ''],
      ['if (quote.currency !== currency) known.delete(token)', 'known.get(token)'],
      ['for (const token of asked) if (!isServed(token)) asked.delete(token);', ''],
    ],
  },
  {
    file: 'packages/console/api/market-data.ts',
    tests: ['console/market-data.test.ts'],
    changes: [
      ['failure && drop()', 'failure'],
      ['known.clear();', ''],
      ['if (!last) throw error;', 'throw error;'],
    ],
  },
  {
    file: 'packages/console/dashboard/address.ts',
    tests: ['console/dashboard/address.test.ts'],
    changes: [
      ['isDate(from) && isDate(thru) && ', ''],
      ['from <= thru && ', ''],
      [' && from <= today', ''],
      ['text.length > 40', 'text.length > 400'],
      ['value === usual ? [] : ', ''],
    ],
  },
  {
    file: 'packages/console/dashboard/backoff.ts',
    tests: ['console/market-data.test.ts'],
    changes: [['retryAfter * 1000', 'retryAfter']],
  },
  {
    file: 'packages/console/history/chart-choice.ts',
    tests: ['console/history/chart-choice.test.ts'],
    changes: [
      ['date.getTime() + length > since', 'date.getTime() > since'],
      ["range === '36500' ? listed : ", ''],
      ['price: close }', 'price: high }'],
    ],
  },
  {
    file: 'packages/console/history/axis-labels.ts',
    tests: ['console/history/axis-labels.test.ts'],
    changes: [
      ['? decimals : decimals + 1', '? decimals : decimals'],
      ['Math.max(decimals[place] ?? 0, ...alike)', 'decimals[place] ?? 0'],
      ['prices: 1e6', 'prices: 1e4'],
    ],
  },
  {
    file: 'packages/console/history/zoom.ts',
    tests: ['console/history/zoom.test.ts'],
    changes: [
      ['clamp(from, 0, points - length)', 'from'],
      ['center + 0.5 - share * length', 'center - share * length'],
      ['Math.min(LEAST, points), points)', 'LEAST, points)'],
    ],
  },
  {
    file: 'packages/console/history/range-change.ts',
    tests: ['console/history/range-change.test.ts'],
    changes: [
      ['distance(nearest) <= TOLERANCE && ', ''],
      ["view.metric !== 'market_cap'", 'true'],
      ['0.9 * days * DAY', '0'],
      ['candles?.[0]?.open ?? ', ''],
    ],
  },
  {
    file: 'packages/console/range/date-presets.ts',
    tests: ['console/history/date-presets.test.ts'],
    changes: [
      ['from < listed ? listed : from', 'from'],
      ['thru > last ? last : thru', 'thru'],
    ],
  },
  {
    file: 'packages/console/account/renewal.ts',
    tests: ['console/account/allowance-in-words.test.ts'],
    changes: [
      ['validUntil > resetsAt', 'validUntil >= resetsAt'],
      ['now < validUntil.getTime() && ', ''],
    ],
  },
  {
    file: 'packages/console/history/csv-download.ts',
    tests: ['console/history/csv-download.test.ts'],
    changes: [['text.slice(0, 19)', 'text.slice(0, 16)']],
  },
];
