import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultyUpstreamService, startWithFaultyUpstream } from '../../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeAll(async () => {
  service = await startWithFaultyUpstream({ start: '2026-05-15T14:10:06Z' });
});
afterAll(() => service?.close());

const HISTORY = '/v1/prices/history';
const DATES = 'tokenName=bitcoin&fromDate=2026-05-01&thruDate=2026-05-03';
const PATHS = [
  `${HISTORY}/date?tokenName=bitcoin&date=01-05-2026`,
  `${HISTORY}/days?tokenName=bitcoin&days=1`,
  `${HISTORY}/date/range?${DATES}&currency=eur`,
  `${HISTORY}/ohlc?${DATES}`,
];

/** CSV with semicolons, as CSV with commas. */
const withCommas = (csv: string) => csv.replace(/"(\d+),(.*?)"/g, '$1.$2').replaceAll(';', ',');

const faultsOf = (body: string) => (JSON.parse(body) as { errors: { location: string; fix: string }[] }).errors;

describe('separator=semicolon', () => {
  test.each(PATHS)('returns the same rows with semicolons and decimal commas: %s', async (path) => {
    const csv = await service.ask(`${path}&format=csv`);
    const semicolons = await service.ask(`${path}&format=csv&separator=semicolon`);
    expect(semicolons.status).toBe(200);
    expect(semicolons.header('content-type')).toBe('text/csv; charset=utf-8');
    expect(semicolons.header('content-disposition')).toBe(csv.header('content-disposition'));
    expect(semicolons.body).toMatch(/^date;\w+;.*\r\n2026-05-[\d: -]+;"\d+,\d+";/);
    expect(withCommas(semicolons.body)).toBe(csv.body);
  });

  test.each(PATHS)('is kept apart from commas and from JSON in the caches: %s', async (path) => {
    const urls = [path, `${path}&format=csv`, `${path}&format=csv&separator=semicolon`];
    const first = [];
    for (const url of urls) first.push(await service.ask(url));
    expect(new Set(first.map(({ body }) => body)).size).toBe(3);
    expect(new Set(first.map(({ header }) => header('etag'))).size).toBe(3);
    // Repeated, so that the fast path responds.
    for (const [i, url] of urls.entries()) {
      for (const again of [await service.ask(url), await service.ask(url)]) {
        expect([again.body, again.header('content-type')]).toEqual([first[i]?.body, first[i]?.header('content-type')]);
      }
    }
  });
});

describe('an invalid request', () => {
  test.each([
    ['another separator', '&format=csv&separator=tab', 'use comma or semicolon'],
    ['an empty separator', '&format=csv&separator=', 'use comma or semicolon'],
    ['a separator in JSON', '&separator=semicolon', 'add format=csv, or omit separator'],
    ['a separator in requested JSON', '&format=json&separator=comma', 'add format=csv, or omit separator'],
    ['a misspelled name', '&format=csv&seperator=semicolon', 'use the parameter name separator'],
  ])('names the parameter: %s', async (_title, query, fix) => {
    for (const path of PATHS) {
      const { status, body } = await service.ask(path + query);
      expect(status).toBe(400);
      expect(faultsOf(body)).toEqual([expect.objectContaining({ location: 'query.separator', fix })]);
    }
  });
});
