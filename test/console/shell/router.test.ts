import { expect, it } from 'vitest';
import { fragmentOf, PAGES, pageIn } from '#console/core/router';

it.each([
  ['', 'prices'],
  ['#', 'prices'],
  ['#/', 'prices'],
  ['#/keys', 'keys'],
  ['#/usage?by=key', 'usage'],
  ['#/account/', 'account'],
  ['#/unknown', 'prices'],
  ['#chart', undefined],
  ['#recover=aB0-_', undefined],
])('the fragment “%s” opens the page %s', (fragment, page) => expect(pageIn(fragment)).toBe(page));

it('each page has a fragment', () => expect(PAGES.map((page) => pageIn(fragmentOf(page)))).toEqual(PAGES));
