import { expect, it } from 'vitest';
import { factsOf, plansOf } from '#console/core/facts';

it('reads the registration mode and the mail setting from the page', () => {
  const facts = (dataset: Record<string, string>) => factsOf({ dataset });
  expect(facts({ registration: 'verified', mail: '' })).toEqual({
    registration: 'verified',
    sendsMail: true,
  });
  expect(facts({ registration: 'closed' })).toEqual({ registration: 'closed', sendsMail: false });
  expect(facts({})).toEqual({ registration: 'open', sendsMail: false });
});

it('reads the plans from the page', () => {
  const plans = [{ name: 'monthly', limit: 10_000, term: 'one month', per: 'a month' }];
  expect(plansOf({ dataset: { plans: JSON.stringify(plans) } })).toEqual(plans);
  expect(plansOf({ dataset: {} })).toEqual([]);
});
