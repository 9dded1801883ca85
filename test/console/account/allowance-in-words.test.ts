import { describe, expect, it } from 'vitest';
import { LEVEL_WORDS, levelOf } from '#console/account/allowance';
import { expiryInWords, renewableFrom } from '#console/account/validity';

it.each([
  [10_000, 10_000, ''],
  [2500, 10_000, ''],
  [2499, 10_000, ', less than 25%'],
  [1000, 10_000, ', less than 25%'],
  [999, 10_000, ', less than 10%'],
  [1, 10_000, ', less than 10%'],
  [0, 10_000, ', calls are rejected until the reset'],
  [0, 0, ', calls are rejected until the reset'],
])('%d of %d remaining calls are described as “%s”', (remaining, limit, words) =>
  expect(LEVEL_WORDS[levelOf(remaining, limit)]).toBe(words),
);

describe('an account', () => {
  const at = (text: string) => new Date(`2026-${text}T12:00:00Z`);
  const from = (validUntil: string, resetsAt: string, now: string) =>
    renewableFrom(at(validUntil), at(resetsAt), at(now).getTime());

  it('can be renewed in its last period, and after it has expired', () => {
    expect(from('03-31', '03-31', '03-01')).toBeUndefined();
    expect(from('03-31', '03-31', '03-31')).toBeUndefined();
    expect(from('03-31', '04-30', '04-02')).toBeUndefined();
    // Read before the period ended.
    expect(from('03-31', '03-30', '03-31')).toBeUndefined();
  });

  it('cannot be renewed twice in a period, and returns the time at which it can be renewed again', () => {
    expect(from('04-30', '03-31', '03-01')).toEqual(at('03-31'));
  });

  it('expires on its date', () => {
    const until = at('03-31');
    expect(
      [until.getTime() - 3 * 86_400_000, until.getTime() + 120_000].map((now) => expiryInWords(until, now)),
    ).toEqual(['Expires Mar 31, 2026 (in 3 days).', 'Expired Mar 31, 2026 (2 minutes ago).']);
  });
});
