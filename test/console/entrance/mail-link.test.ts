import { expect, it } from 'vitest';
import { isMailLink, mailLinkIn } from '#console/entrance/store';

it.each([
  ['#recover=aB0-_', { purpose: 'recover', code: 'aB0-_' }],
  ['#verify=x', { purpose: 'verify', code: 'x' }],
  ['', undefined],
  ['#recover=', undefined],
  ['#recover=<b>', undefined],
  [`#recover=${'x'.repeat(201)}`, undefined],
  ['#/keys', undefined],
  ['#delete=x', undefined],
])('reads the emailed link %s', (fragment, link) => {
  expect(mailLinkIn(fragment)).toEqual(link);
  expect(isMailLink(fragment)).toBe(/=/.test(fragment) && !fragment.startsWith('#delete'));
});
