import { expect, test } from 'vitest';
import { isoDate } from '#core/clock';
import { publicationDates } from '#sandbox/prices/ecb';
import { haveRecordings, recording } from '../support/upstream/recordings.ts';

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
