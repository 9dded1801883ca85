import type { Mutations } from '../mutation.ts';

/** Rates by date, conversion, the schedule of fetches, and responses in other currencies. */
export const currency: Mutations[] = [
  {
    file: 'src/prices/currencies/rate-series.ts',
    tests: ['prices/currencies/rate-series.test.ts'],
    changes: [
      ['startOfDate(instant) + DAY)', 'startOfDate(instant))'],
      ['newest - last > HOLDS', 'newest - last >= HOLDS'],
      ['next - from <= HOLDS', 'next - from < HOLDS'],
      ['from + DAY) - 1', 'from + DAY)'],
      ['endedOn: isOver ? last : undefined', 'endedOn: last'],
    ],
  },
  {
    file: 'src/prices/currencies/conversion.ts',
    tests: ['prices/currencies/conversion.test.ts'],
    changes: [
      ['dollars / usdRate;', 'dollars * usdRate;'],
      ['Number.isFinite(figure) ? figure', 'true ? figure'],
      ['if (startOfDate(at) === date) return usdRate', 'if (startOfDate(at) >= date) return usdRate'],
      ['dollarsPerEuro / unitsPerEuro', 'unitsPerEuro / dollarsPerEuro'],
      ["interval === 'day' ? DAY : spacingOf(interval)", 'spacingOf(interval) - 1'],
      ['startOfDate(time) !== startOfDate(at)', 'false'],
      ['apart > nearest ||', 'apart >= nearest ||'],
      ["['price', 'marketCap', 'volume'], usdRate", "['price', 'marketCap'], usdRate"],
      ["['open', 'high', 'low', 'close'], usdRate", "['open', 'high', 'low', 'close', 'volume'], usdRate"],
      ['if (Number.isNaN(unit)) continue', ''],
      ['usdRate(atOf(record.ath_date))', 'now'],
      ['usdRate(atOf(record.atl_date))', 'usdRate(atOf(record.ath_date))'],
    ],
  },
  {
    file: 'src/prices/currencies/rate-series.ts',
    tests: ['prices/currencies/rate-schedule.test.ts'],
    changes: [
      ['14 * HOUR + 10 * MINUTE', '15 * HOUR'],
      ['[0, 6].includes', '[0].includes'],
      ['first < from)', 'first > from)'],
      ['newest >= expected', 'newest > expected'],
      ['Math.max(HOUR,', 'Math.max(0,'],
      ['weekdayUpTo(startOfDate(now) - DAY)', 'weekdayUpTo(startOfDate(now))'],
      ['newest + DAY, wait', 'newest, wait'],
      ['instant) - HOLDS', 'instant)'],
    ],
  },
  {
    file: 'src/prices/sources/ecb.ts',
    tests: ['prices/sources/ecb.test.ts'],
    changes: [
      ["text !== '' && !text.endsWith('\\n')", 'false'],
      ["404: 'not_listed', ", ''],
      ['if (missing.length > 0)', 'if (false)'],
      ["value === '' || !hasReferenceRate(currency)", "value === ''"],
      ["value === '' ||", ''],
      ['field(row, column) !== wanted', 'false'],
      ['isoDate(date) === text', 'true'],
      ['!(date <= now)', 'date > now'],
      ['rate > 0 &&', 'rate >= 0 &&'],
      ["if (text === '') return []", ''],
      ["if (!rates.some(({ currency }) => currency === 'usd'))", 'if (false)'],
    ],
  },
  {
    file: 'src/prices/currencies/rate-store.ts',
    tests: ['prices/currencies/rate-store.store.test.ts'],
    changes: [
      ['excluded.rates || known.rates', 'known.rates || excluded.rates'],
      ['least(known."from"', 'greatest(known."from"'],
      ['rate > 0 &&', 'rate >= 0 &&'],
      [' AND date <= ${isoDate(now)}::date', ''],
    ],
  },
  {
    file: 'src/prices/currencies/rates.ts',
    tests: ['prices/currencies/rates.store.test.ts'],
    changes: [
      ['await cache.sync();\n', '\n'],
      ['if (!isMade || !isTooMuch', 'if (!isTooMuch'],
      ['singleFlight.forget(RATES);', ''],
      ['cache.known().from !== undefined)', 'true)'],
    ],
  },
  {
    file: 'src/prices/currencies/valuation.ts',
    tests: ['prices/currencies/currencies.store.test.ts', 'prices/currencies/rates.store.test.ts'],
    changes: [
      ['1 / usdRate(at)', 'usdRate(at)'],
      ['from >= endedOn + DAY', 'from > endedOn + DAY'],
      ['outcome.fetched || ofRates.fetched', 'outcome.fetched'],
      ['if (outcome.failure)', 'if (false)'],
    ],
  },
  {
    file: 'src/prices/latest/latest-answer.ts',
    tests: ['prices/currencies/currencies.store.test.ts'],
    changes: [['token : `${token},${currency}`', 'token : token']],
  },
  {
    file: 'src/prices/latest/latest-answer.ts',
    tests: ['prices/currencies/currencies.store.test.ts', 'prices/currencies/rates.store.test.ts'],
    changes: [['`${versionOf(rows)};${valuation.version}`', 'versionOf(rows)']],
  },
  {
    file: 'src/prices/currencies/valuation.ts',
    tests: ['prices/currencies/rates.store.test.ts'],
    changes: [
      ['&& valuation.isSettled(rows.lastAt)', ''],
      ['`${rows.version};${valuation.version}`', 'rows.version'],
    ],
  },
  {
    file: 'src/prices/parameters.ts',
    tests: ['prices/currencies/currencies.store.test.ts'],
    changes: [
      ['served.includes(value)', 'true'],
      ['(currency ?? vs_currency) === (vs_currency ?? currency)', 'true'],
      ['currency ?? vs_currency ?? DOLLAR', 'currency ?? DOLLAR'],
    ],
  },
  {
    file: 'src/prices/parameters.ts',
    tests: ['openapi/settings.store.test.ts'],
    changes: [['examples: [other]', "examples: ['eur']"]],
  },
];
