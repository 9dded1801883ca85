import { expect, it } from 'vitest';
import type { TokenStatistics } from '#client/index';
import { PROOF_OF_STAKE, statisticsEntries } from '#console/prices/statistics';
import { FIGURES } from '#statistics/statistics-records';
import { figuresOf, STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

const record = (symbol: string, figures: Partial<TokenStatistics> = {}) =>
  ({
    id: null,
    time: new Date(0),
    symbol: symbol.toUpperCase(),
    partner_symbol: symbol,
    ...Object.fromEntries(FIGURES.map((figure) => [figure, null])),
    ...figures,
  }) as TokenStatistics;

it.each(STATISTICS_SYMBOLS)('lists every figure of %s, provided or not', (symbol) => {
  const entries = statisticsEntries(record(symbol), 'Blockscout');
  expect(entries).toHaveLength(figuresOf(symbol).length);
  for (const [, text, note] of entries) expect([text, note]).toEqual(['–', 'not provided by Blockscout']);
});

it('treats the same chains as proof of stake as the service', () => {
  const notMined = STATISTICS_SYMBOLS.filter((symbol) => !figuresOf(symbol).includes('hashrate'));
  expect([...PROOF_OF_STAKE].toSorted()).toEqual(notMined.toSorted());
});

it('shows the value and the unit of a provided figure, including zero', () => {
  const figures = { hashrate: 514_000_000, new_addresses: 0, block_height: 823_786 };
  const entries = statisticsEntries(record('btc', figures), 'Blockchain.com');
  expect(entries.filter(([, , note]) => !note?.startsWith('not provided'))).toEqual([
    ['Block height', '823,786', undefined],
    ['New addresses', '0', 'last 24 hours'],
    ['Hash rate', '514', 'EH/s'],
  ]);
});
