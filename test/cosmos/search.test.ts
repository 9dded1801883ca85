import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NodeRejection } from '#cosmos/exchange';
import { legacyParameters, modernParameters, readSearch } from '#cosmos/search';

type Pairs = [string, string][];
const queryOf = (pairs: Pairs) => modernParameters(readSearch(pairs), 'query').find(([name]) => name === 'query')?.[1];
const paging = (pairs: Pairs) => {
  const { page, limit } = readSearch([['tx.height', '1'], ...pairs]);
  return [page, limit];
};

const word = fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/);
const attribute = fc.tuple(word, word).map((words) => words.join('.'));
const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });

describe('the conditions of a search', () => {
  test('every value stays within its quotes, or is rejected', () => {
    fc.assert(
      fc.property(attribute, value, (name, text) => {
        const isPlain = !/['"\p{Cc}]/u.test(text);
        try {
          expect(queryOf([[name, text]])).toBe(`${name}='${text}'`);
          expect(isPlain).toBe(true);
        } catch (error) {
          if (!(error instanceof NodeRejection)) throw error;
          expect(isPlain).toBe(false);
        }
      }),
    );
  });

  test('any input gives one condition for each attribute, or is rejected', () => {
    const name = fc.oneof(attribute, fc.constantFrom('tx.height', 'tx.minheight', 'tx.maxheight'), value);
    const text = fc.oneof(value, fc.constantFrom("x' OR tx.height>0 AND a.b='", '5', '', "'"));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { maxLength: 4 }), (pairs) => {
        let query: string | undefined;
        try {
          query = queryOf(pairs);
        } catch (error) {
          expect(error).toBeInstanceOf(NodeRejection);
          return;
        }
        const events = /^(?!events$|query$).*\./;
        const count = pairs.filter(([one]) => events.test(one) && !one.startsWith('pagination.')).length;
        expect(query?.replaceAll(/'[^']*'/g, "''").split(' AND ')).toHaveLength(count);
      }),
    );
  });

  test('are split at AND, except within quotes', () => {
    const pairs: Pairs = [['query', "a.b='x AND y' AND c.d=5 and tx.height>3"]];
    expect(readSearch(pairs).conditions).toEqual(["a.b='x AND y'", 'c.d=5', 'tx.height>3']);
  });

  test('are split in linear time', () => {
    // Patterns with a lookahead took seconds for each of these.
    const size = 200_000;
    for (const query of [
      `a${' '.repeat(size)}b`,
      ' AND '.repeat(size / 5) + "'".repeat(size + 1),
      `${"a.b='x' AND ".repeat(size / 12)}'`,
    ]) {
      const { conditions } = readSearch([['query', query]]);
      expect(conditions.length).toBeGreaterThan(0);
    }
    expect(readSearch([['query', "a.b='x'   AND   c.d='y' AND e.f='z AND"]]).conditions).toEqual([
      "a.b='x'",
      "c.d='y'",
      "e.f='z AND",
    ]);
  });

  test('heights are integers, and may be bounds', () => {
    const pairs: Pairs = [
      ['tx.minheight', '007'],
      ['tx.maxheight', '9'],
      ['tx.height', '8'],
    ];
    expect(queryOf(pairs)).toBe('tx.height>=7 AND tx.height<=9 AND tx.height=8');
    expect(legacyParameters(readSearch(pairs)).slice(0, 3)).toEqual(pairs);
  });

  test.each<Pairs>([
    [],
    [['page', '1']],
    [
      ['currency', 'usd'],
      ['network', 'mainnet'],
      ['_', '1'],
    ],
    [['query', '   ']],
    [["a.b' OR 'c", 'x']],
    [['a.b=1 OR c.d', 'x']],
    [['a..b', 'x']],
    [['a.b', '']],
    [['tx.height', '5 OR 1=1']],
    [['tx.height', '-5']],
    [
      ['tx.height', '1'],
      ['page', '0'],
    ],
    [
      ['tx.height', '1'],
      ['page', '1e3'],
    ],
    [
      ['tx.height', '1'],
      ['limit', '0'],
    ],
    [
      ['tx.height', '1'],
      ['limit', 'all'],
    ],
    [
      ['tx.height', '1'],
      ['pagination.offset', 'x'],
    ],
    [
      ['tx.height', '1'],
      ['order_by', 'ASC; DROP'],
    ],
  ])('%j is rejected', (...pairs) => {
    expect(() => readSearch(pairs)).toThrow(NodeRejection);
  });

  test('the page is read from the parameters of either dialect, up to the maximum size', () => {
    expect(paging([])).toEqual([1, 30]);
    expect(
      paging([
        ['page', '3'],
        ['limit', '25'],
      ]),
    ).toEqual([3, 25]);
    expect(
      paging([
        ['pagination.offset', '50'],
        ['pagination.limit', '25'],
      ]),
    ).toEqual([3, 25]);
    expect(
      paging([
        ['page', '2'],
        ['limit', '1000'],
      ]),
    ).toEqual([2, 100]);
    expect(paging([['pagination.limit', '0']])).toEqual([1, 30]);
  });
});
