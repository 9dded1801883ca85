import type { Mutations } from './mutation.ts';

/** The page: prices, candles, and its requests. */
export const page: Mutations[] = [
  {
    file: 'packages/console/api/api-call.ts',
    tests: ['console/prices/price-table.test.ts'],
    changes: [
      ['Math.ceil(rest / TOKENS_PER_CALL)', 'Math.floor(rest / TOKENS_PER_CALL)'],
      ['const MOST_TOKENS = 100', 'const MOST_TOKENS = 101'],
    ],
  },
  {
    file: 'packages/console/api/api-call.ts',
    tests: ['console/dashboard/call-snippets.test.ts'],
    changes: [['const given = [tokenName, { from, thru, interval }]', 'const given = [tokenName, { from, thru }]']],
  },
  {
    file: 'packages/console/prices/table-head.ts',
    tests: ['console/prices/price-table.test.ts'],
    changes: [
      ['Number(left === undefined) - Number(right === undefined)', 'way'],
      ["column === 'title' ? 'ascending' : 'descending'", "'descending'"],
      ['way * (left - right)', 'left - right'],
    ],
  },
  {
    file: 'packages/console/prices/table-head.ts',
    tests: ['console/prices/price-table.test.ts'],
    changes: [['typed.trim().toLowerCase()', 'typed.toLowerCase()']],
  },
  {
    file: 'packages/console/prices/quotes.ts',
    tests: ['console/prices/quotes.test.ts'],
    changes: [
      ['isOfOneTime ? fetchedAt', 'fetchedAt ? fetchedAt'],
      ['newest - FRESH_MS', 'newest'],
      ['quotes.filter((quote) => !isBehind(quote, newest))', 'quotes'],
      ['if (wanted !== currency) return;\n          for', 'for'],
      ['markOld(names, toError(error));', ''],
      ['if (quote.currency !== currency) known.delete(token)', 'known.get(token)'],
      ['for (const token of requested) if (!isServed(token)) requested.delete(token);', ''],
    ],
  },
  {
    file: 'packages/console/api/market-data.ts',
    tests: ['console/api/market-data.test.ts'],
    changes: [
      ['failure && drop()', 'failure'],
      ['known.clear();', ''],
      ['if (!last) throw error;', 'throw error;'],
      ['path === SAMPLED ?', 'path ?'],
      ['performance.now() - recent.at < REUSE_MS ?', 'recent.at ?'],
    ],
  },
  {
    file: 'packages/pages/dom.ts',
    tests: ['console/copy-button.browser.test.ts'],
    changes: [
      ['if (text() !== content) reset();', ''],
      ['clearTimeout(timer);\n    button.textContent = copied', 'button.textContent = copied'],
    ],
  },
  {
    file: 'packages/pages/dom.ts',
    tests: ['console/small-screen.browser.test.ts'],
    changes: [
      ['scrollLeft > 0', 'scrollLeft >= 0'],
      ['scrollLeft + clientWidth < scrollWidth - 1', 'clientWidth < scrollWidth - 1'],
    ],
  },
  {
    file: 'packages/console/dashboard/auto-refresh.ts',
    tests: ['console/dashboard/refresh-cost.test.ts'],
    changes: [
      ['(calls * 60) / REFRESH_MINUTES', 'calls * 60'],
      ['hourly * hours', 'hourly'],
      ['usage.limit <= 0', 'usage.limit < 0'],
      ['(percent / 100) * limit', 'percent * limit'],
    ],
  },
  {
    file: 'packages/console/history/history-load.ts',
    tests: ['console/dashboard/first-sign-in.browser.test.ts'],
    changes: [['isFree ? marketData.free(call) : ', '']],
  },
  {
    file: 'packages/console/dashboard/statistics.ts',
    tests: ['console/dashboard/first-sign-in.browser.test.ts'],
    changes: [
      ['if (symbol !== undefined && !isWanted)', 'if (symbol === undefined)'],
      ['isWanted = false;\n    },', '},'],
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
      ['value === defaultValue ? [] : ', ''],
    ],
  },
  {
    file: 'packages/console/dashboard/auto-refresh.ts',
    tests: ['console/api/market-data.test.ts'],
    changes: [['retryAfter * 1000', 'retryAfter']],
  },
  {
    file: 'packages/console/history/chart-choice.ts',
    tests: ['console/history/chart-choice.test.ts'],
    changes: [
      ['INTERVAL_MS[view.interval] > since', '0 > since'],
      [' && view.interval === defaultInterval(view)', ''],
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
    file: 'packages/console/history/gestures.ts',
    tests: ['console/history/zoom.test.ts'],
    changes: [
      ['clamp(from, 0, points - length)', 'from'],
      ['center + 0.5 - share * length', 'center - share * length'],
      ['Math.min(LEAST, points), points)', 'LEAST, points)'],
    ],
  },
  {
    file: 'packages/console/history/gestures.ts',
    tests: ['console/history/range-change.test.ts'],
    changes: [
      ['distance(nearest) <= TOLERANCE && ', ''],
      ["view.metric !== 'market_cap'", 'true'],
      ['0.9 * days * DAY', '0'],
      ['candles?.[0]?.open ?? ', ''],
    ],
  },
  {
    file: 'packages/console/history/intervals.ts',
    tests: ['console/history/intervals.test.ts', 'console/history/chart-choice.test.ts'],
    changes: [
      ["range === '36500'", "range === '0'"],
      ['days > 1', 'days > 0'],
      ['first <= view.from', 'first < view.from'],
      ['days > MOST_DAYS[interval]', 'days < 0'],
      ['<= HOURLY_DAYS', '< HOURLY_DAYS'],
      ['(one) => one !== undefined && possible.includes(one)', '(one) => one !== undefined'],
    ],
  },
  {
    file: 'packages/console/history/axis-labels.ts',
    tests: ['console/history/time-labels.test.ts'],
    changes: [[' && at % DAY_S === 0', ' && at < 0']],
  },
  {
    file: 'packages/console/history/custom-dates.ts',
    tests: ['console/history/date-presets.test.ts'],
    changes: [
      ['from < first ? first : from', 'from'],
      ['thru > last ? last : thru', 'thru'],
    ],
  },
  {
    file: 'packages/pages/format.ts',
    tests: ['console/figures-in-words.test.ts'],
    changes: [
      ['time === undefined ?', 'time !== undefined ?'],
      ['if (Number.isNaN(instant.getTime())) return written;', ''],
    ],
  },
  {
    file: 'packages/console/account/validity.ts',
    tests: ['console/account/validity.browser.test.ts'],
    changes: [
      ['renew.hidden = !isPossible', 'renew.hidden = isRestricted'],
      ["isRestricted ? 'account' : 'key'", "'key'"],
    ],
  },
  {
    file: 'packages/console/account/validity.ts',
    tests: ['console/account/allowance-in-words.test.ts'],
    changes: [
      ['validUntil > resetsAt', 'validUntil >= resetsAt'],
      ['now < validUntil.getTime() && ', ''],
    ],
  },
  {
    file: 'packages/console/account/validity.ts',
    tests: ['console/account/validity.browser.test.ts'],
    changes: [
      ["isPossible: access === 'owner' && ", 'isPossible: '],
      ['resetsAt !== undefined && ', ''],
      ["isPossible: access !== 'none'", "isPossible: access === 'owner'"],
    ],
  },
  {
    file: 'packages/console/api/history-csv.ts',
    tests: ['console/history/csv-download.test.ts'],
    changes: [['text.slice(0, 19)', 'text.slice(0, 16)']],
  },
];
