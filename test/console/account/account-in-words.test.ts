import { expect, it } from 'vitest';
import { factsOf } from '#console/core/facts';

it('reads the registration mode and the mail setting from the page', () => {
  const facts = (dataset: Record<string, string>) => factsOf({ dataset });
  expect(facts({ registration: 'verified', mail: '' })).toEqual({
    registration: 'verified',
    sendsMail: true,
  });
  expect(facts({ registration: 'closed' })).toEqual({ registration: 'closed', sendsMail: false });
  expect(facts({})).toEqual({ registration: 'open', sendsMail: false });
});
