import { expect, it } from 'vitest';
import { thresholdsIn } from '#console/account/allowance';
import { factsOf } from '#console/core/facts';

it.each([
  ['80, 100', [80, 100]],
  [' 50%,80 % ; 100 ', [50, 80, 100]],
  ['', []],
  ['ten', [Number.NaN]],
])('thresholds %j', (text, thresholds) => expect(thresholdsIn(text)).toEqual(thresholds));

it('reads the registration mode and the mail setting from the page', () => {
  const facts = (dataset: Record<string, string>) => factsOf({ dataset });
  expect(facts({ registration: 'verified', mail: '' })).toEqual({
    registration: 'verified',
    sendsMail: true,
  });
  expect(facts({ registration: 'closed' })).toEqual({ registration: 'closed', sendsMail: false });
  expect(facts({})).toEqual({ registration: 'open', sendsMail: false });
});
