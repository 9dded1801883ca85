import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { bodyOf } from '#server/replies/answer-body';
import { createCacheHeaders } from '#server/replies/answer-headers';

const NOTHING_DONE = { fetched: false, refreshing: false, failure: undefined };
const NOW = Date.UTC(2026, 4, 15, 14, 10, 6);

/** The headers of a response that was fetched before `now` and is due after it (ms). */
function fieldsOf(before: number, after: number, name?: string, format: 'json' | 'csv' = 'json') {
  const body = bodyOf('[]');
  const answer = {
    ...{ body, source: 'coingecko', modifiedAt: NOW, settled: false, gaps: [], outcome: NOTHING_DONE },
    ...{ fetchedAt: NOW - before, dueAt: NOW + after, ...(name && { fileName: name }) },
  };
  const { full } = createCacheHeaders({ varyByOrigin: false, etagKey: 'a key' })(answer, body.identity, format, NOW);
  return Object.fromEntries(full.fields.flatMap((field, i) => (i % 2 ? [] : [[field, full.fields[i + 1]]])));
}

const freshFor = (fields: Record<string, string | undefined>) =>
  Number(/max-age=(\d+)/.exec(fields['cache-control'] ?? '')?.[1]) - Number(fields.age);

test('a response is fresh until the next fetch, for an hour at most', () => {
  expect(freshFor(fieldsOf(2 * MINUTE, 4 * MINUTE))).toBe(240);
  expect(freshFor(fieldsOf(2 * HOUR, 4 * HOUR))).toBe(3600);
  expect(freshFor(fieldsOf(10 * MINUTE, -4 * MINUTE))).toBe(-240);
});

test('CSV is a file with a name', () => {
  expect(fieldsOf(0, 1, 'bitcoin-2026-01-01')['content-disposition']).toBeUndefined();
  const csv = fieldsOf(0, 1, 'bitcoin-2026-01-01', 'csv');
  expect(csv['content-disposition']).toBe('attachment; filename="bitcoin-2026-01-01.csv"');
});
