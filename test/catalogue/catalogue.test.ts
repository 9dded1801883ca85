import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCatalogue } from '#catalogue/catalogue';
import { BUILT_IN_TOKENS, type Token } from '#catalogue/token';
import { editDistance } from '#core/forms/record-fields';
import { amount } from '../support/long.ts';

const named = (name: string, symbol = name, title = name): Token => ({
  ...{ name, symbol, title, begins: '2009-01-03', listed: '2020-01-01' },
  ...{ statistics: false, pairs: {} },
});
const BITCOIN_CASH = named('bitcoin-cash', 'bch', 'Bitcoin Cash');
const names = (tokens: readonly Token[]) => tokens.map(({ name }) => name);

const word = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,5})?$/);
/** Tokens with unique names, and symbols that several tokens may share. */
const tokens = fc
  .uniqueArray(word, { minLength: 1, maxLength: 30 })
  .chain((all) =>
    fc.tuple(...all.map((name) => fc.constantFrom('aaa', 'bbb', name).map((symbol) => named(name, symbol)))),
  );

test('finds a token by its name rather than by another token’s symbol', () => {
  const all = [named('first', 'second'), named('second', 'first')];
  expect(createCatalogue(all).find('second')?.name).toBe('second');
  expect(createCatalogue(all.toReversed()).find('second')?.name).toBe('second');
});

describe('the closest matches', () => {
  test('are at most three distinct existing tokens, for any text', () => {
    const texts = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }), word);
    fc.assert(
      fc.property(tokens, texts, (all, text) => {
        const near = createCatalogue(all).nearest(text);
        expect(near.every((token) => all.includes(token))).toBe(true);
        expect(new Set(near).size).toBe(near.length);
        expect(near.length).toBeLessThanOrEqual(3);
      }),
    );
  });

  test.each([
    ['bitcon', 'bitcoin'],
    ['BITCION', 'bitcoin'],
    ['etherium', 'ethereum'],
    ['usdcoin', 'usd-coin'],
    ['USD Coin', 'usd-coin'],
    ['usdc-coin', 'usd-coin'],
    ['Bitcoin Cash', 'bitcoin'],
    ['bct', 'bitcoin'],
    ['solan', 'solana'],
    ['bitkoyn', 'bitcoin'],
  ])('of %j start with %s', (text, name) => {
    expect(names(createCatalogue(BUILT_IN_TOKENS).nearest(text))[0]).toBe(name);
  });

  test('of a name with one wrong letter contain only the token with that name', () => {
    const long = fc.stringMatching(/^[a-z0-9]{5,20}$/);
    const mistakes = fc.constantFrom<(text: string, at: number, letter: string) => string>(
      (text, at) => text.slice(0, at) + text.slice(at + 1),
      (text, at, letter) => text.slice(0, at) + letter + text.slice(at),
      (text, at, letter) => text.slice(0, at) + letter + text.slice(at + 1),
      (text, at) =>
        text.slice(0, at) +
        text
          .slice(at, at + 2)
          .split('')
          .reverse()
          .join('') +
        text.slice(at + 2),
    );
    fc.assert(
      fc.property(long, mistakes, fc.nat(19), fc.stringMatching(/^[a-z0-9]$/), (name, mistake, at, letter) => {
        const text = mistake(name, at % name.length, letter);
        expect(names(createCatalogue([named(name)]).nearest(text))).toEqual([name]);
      }),
    );
  });

  test('start with the token that shares more words', () => {
    const catalogue = createCatalogue([...BUILT_IN_TOKENS, BITCOIN_CASH]);
    expect(names(catalogue.nearest('the bitcoin cash'))).toEqual(['bitcoin-cash', 'bitcoin']);
    expect(names(catalogue.nearest('bitcoin cahs'))[0]).toBe('bitcoin-cash');
  });

  test.each(['', '?', 'xy', 'dogecoin', 'abandon ability able', 'b'.repeat(5000), `bitcoin ${'x '.repeat(60)}`])(
    'of %j are empty',
    (text) => {
      expect(createCatalogue(BUILT_IN_TOKENS).nearest(text)).toEqual([]);
    },
  );
});

describe('the edit distance', () => {
  /** The number of edits between two words, by the definition. */
  function steps(a: string, b: string): number {
    const table = Array.from({ length: a.length + 1 }, (_, i) =>
      Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
    );
    const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        const isSame = a[i - 1] === b[j - 1];
        const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
        const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)];
        if (i > 1 && j > 1 && isSwapped) ways.push(at(i - 2, j - 2) + 1);
        (table[i] as number[])[j] = Math.min(...ways);
      }
    }
    return at(a.length, b.length);
  }

  test('equals that of the whole table, up to the maximum', () => {
    const short = fc.stringMatching(/^[abc]{0,7}$/);
    fc.assert(
      fc.property(short, short, fc.integer({ min: 0, max: 4 }), (a, b, most) => {
        const apart = steps(a, b);
        expect(editDistance(a, b, most)).toBe(apart <= most ? apart : Number.POSITIVE_INFINITY);
      }),
      { numRuns: amount(200, 3_000) },
    );
  });
});

test('a token with a successor is found as its successor, except by commands', () => {
  const [first, second, third] = [named('first', 'one'), named('second'), named('third')] as const;
  const { find, findItself, successorOf, hasSuccessors } = createCatalogue([
    { ...first, successor: second.name },
    { ...second, successor: third.name },
    { ...third, successor: 'removed' },
  ]);
  expect([find(first.symbol)?.name, find(second.name)?.name, find(third.name)?.name]).toEqual(
    Array(3).fill(third.name),
  );
  expect(findItself(first.symbol)?.name).toBe(first.name);
  expect([successorOf(first.name)?.name, successorOf(third.name), hasSuccessors()]).toEqual([
    third.name,
    undefined,
    true,
  ]);
  expect(createCatalogue([first, second]).hasSuccessors()).toBe(false);
});
