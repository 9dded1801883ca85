import type { Mutations } from '../mutation.ts';

/** The served tokens: how they are found, added and reloaded. */
export const catalogue: Mutations[] = [
  {
    file: 'src/prices/routes-tokens.ts',
    tests: ['catalogue/tokens.store.test.ts'],
    changes: [['pair ? [CANDLES]', 'tokenName ? [CANDLES]']],
  },
  {
    file: 'src/catalogue/catalogue.ts',
    tests: ['catalogue/catalogue.test.ts'],
    changes: [
      ['if (!bySymbol.has(token.symbol)) bySymbol', 'bySymbol'],
      ['const text = nameOrSymbol.toLowerCase();', 'const text = nameOrSymbol;'],
      ['index.byName.get(text) ?? index.bySymbol.get(text)', 'index.bySymbol.get(text) ?? index.byName.get(text)'],
      ['.slice(0, SUGGESTED)', ''],
      ['if (text.length > LONGEST_TEXT) return [];', ''],
      ['a.apart - b.apart', 'b.apart - a.apart'],
      ['bitsIn(letters ^ others) > 2 * most', 'bitsIn(letters ^ others) > 0'],
    ],
  },
  {
    file: 'src/core/record-fields.ts',
    tests: ['catalogue/catalogue.test.ts'],
    changes: [
      ['(before[j - 2] as number) + 1', '(before[j - 2] as number) + 2'],
      ['length < 5 ? 1 : 2', 'length < 5 ? 1 : 1'],
    ],
  },
  {
    file: 'src/catalogue/catalogue.ts',
    tests: ['catalogue/catalogue.store.test.ts'],
    changes: [['generation += 1', 'generation += 0']],
  },
  {
    file: 'src/catalogue/token-store.ts',
    tests: ['catalogue/catalogue.store.test.ts'],
    changes: [
      ["where: { removedAt: null }, orderBy: { position: 'asc' }", "orderBy: { position: 'asc' }"],
      ["orderBy: { position: 'asc' }", "orderBy: { position: 'desc' }"],
      ['pair = excluded.pair, removed_at = NULL', 'pair = excluded.pair'],
      ['return rows.length > 0', 'return true'],
    ],
  },
  {
    file: 'src/catalogue/listing.ts',
    tests: ['catalogue/listing.store.test.ts'],
    changes: [
      ["if (isBuiltIn(id)) return refused('built_in');", ''],
      ["if (isBuiltIn(name)) return refused('built_in');", ''],
      ['symbol === id && name !== id', 'name === id && name !== id'],
      ['areFarApart(price, coin.price)', 'areFarApart(price, price)'],
      ['pair === found.pair && name !== coin.id', 'name === found.pair'],
      ['first > reach + 2 * DAY', 'true'],
      ['catalogue.all().length >= MOST_SERVED', 'false'],
    ],
  },
  {
    file: 'src/server/replies/fast-path.ts',
    tests: ['server/replies/fast-path.test.ts'],
    changes: [
      [' || found.generation !== catalogue.generation()', ''],
      ['const generation = (request as Arrived)[GENERATION]', 'const generation = catalogue.generation()'],
    ],
  },
];
