import { afterAll, beforeAll, expect, test } from 'vitest';
import { isoDate } from '#core/clock';
import { publicationDates } from '#sandbox/ecb';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { haveRecordings, recording } from '../support/upstream/recordings.ts';

let clock: TestClock;
let sandbox: Sandbox;
beforeAll(async () => {
  clock = createTestClock('2026-11-20T14:59:59Z');
  sandbox = await startSandbox({ clock });
});
afterAll(() => sandbox?.close());

const fetchRates = async (query: string, key = 'D..EUR.SP00.A') => {
  const response = await fetch(`${sandbox.exchangeRatesUrl}/data/EXR/${key}?format=csvdata${query}`);
  return { status: response.status, text: await response.text() };
};

test('rates have the format of the ECB, with few or all columns', async () => {
  const { text } = await fetchRates(
    '&detail=dataonly&startPeriod=2025-12-23&endPeriod=2025-12-30',
    'D.PLN+USD.EUR.SP00.A',
  );
  const [head, ...rows] = text.trimEnd().split('\r\n');
  expect(head).toBe('KEY,FREQ,CURRENCY,CURRENCY_DENOM,EXR_TYPE,EXR_SUFFIX,TIME_PERIOD,OBS_VALUE');
  expect(rows.map((row) => row.split(',').slice(2, 7).join())).toEqual(
    ['PLN', 'USD'].flatMap((code) => ['23', '24', '29', '30'].map((day) => `${code},EUR,SP00,A,2025-12-${day}`)),
  );
  const full = (await fetchRates('&startPeriod=2025-12-23&endPeriod=2025-12-23', 'D.USD.EUR.SP00.A')).text.split(
    '\r\n',
  );
  expect(full[0]?.split(',')).toHaveLength(32);
  expect(full[1]).toMatch(/^EXR\.D\.USD\.EUR\.SP00\.A,D,USD,EUR,SP00,A,2025-12-23,1\.\d+,A,.*,".*, .*",USD,0$/);
});

test('the rates of a day are published in the afternoon, and a period without rates is empty', async () => {
  expect(await fetchRates('&startPeriod=2026-11-20')).toEqual({ status: 200, text: '' });
  clock.advance(1000);
  expect((await fetchRates('&startPeriod=2026-11-20')).text).toContain('2026-11-20');
});

test('discontinued currencies have no further rates', async () => {
  const { text } = await fetchRates('&detail=dataonly&startPeriod=2025-12-30&endPeriod=2026-01-05', 'D.BGN.EUR.SP00.A');
  expect(text.match(/\d{4}-\d\d-\d\d/g)).toEqual(['2025-12-30', '2025-12-31']);
});

test('an unknown series is not found', async () => {
  expect((await fetchRates('', 'D.XXX.EUR.SP00.A')).status).toBe(404);
});

test.runIf(haveRecordings)('the dates are those of the ECB', () => {
  const { body } = recording('ecb', 'eurofxref-hist_2013-01-02_2023-12-29.csv');
  const recorded = String(body)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(0, 10))
    .reverse();
  const dates = publicationDates(Date.parse('2013-01-01'), Date.parse('2023-12-31')).map(isoDate);
  expect(dates).toEqual(recorded);
});
