import { expect, it } from 'vitest';
import { MINUTE } from '#core/clock';
import { isPeerToken, peerToken } from '#requests/peers';

const [SECRET, NOW] = ['a secret', Date.parse('2026-01-31T12:00:00Z')];
const QUESTION = { process: '0b6c1a0e-3f0d-4b6e-9a53-6f8f1f1f0c11', user: 7 };
const token = peerToken(SECRET, QUESTION, NOW);

it('is accepted for a minute, also if the clocks differ', () => {
  for (const ms of [0, MINUTE, -MINUTE]) expect(isPeerToken(token, SECRET, QUESTION, NOW + ms)).toBe(true);
  for (const ms of [MINUTE + 1, -MINUTE - 1]) expect(isPeerToken(token, SECRET, QUESTION, NOW + ms)).toBe(false);
});

it('is valid for one process, one user and one secret', () => {
  expect(isPeerToken(token, 'another secret', QUESTION, NOW)).toBe(false);
  expect(isPeerToken(token, SECRET, { ...QUESTION, user: 8 }, NOW)).toBe(false);
  expect(isPeerToken(token, SECRET, { ...QUESTION, process: '1' }, NOW)).toBe(false);
  const later = token.replace(String(NOW), String(NOW + 1));
  expect(isPeerToken(later, SECRET, QUESTION, NOW)).toBe(false);
});

it.each([undefined, '', 'Process', 'Bearer abc', `${token}a`, token.slice(0, -1), `Process ${NOW}.${'é'.repeat(43)}`])(
  'is not %s',
  (other) => {
    expect(isPeerToken(other, SECRET, QUESTION, NOW)).toBe(false);
  },
);
