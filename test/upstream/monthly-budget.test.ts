import { describe, expect, test } from 'vitest';
import { monthOf } from '#upstream/budget';

const NOVEMBER = Date.parse('2026-11-01T00:00:00Z');
const DECEMBER = Date.parse('2026-12-01T00:00:00Z');

describe('the calendar month', () => {
  test.each([
    [NOVEMBER, NOVEMBER, DECEMBER],
    [DECEMBER - 1, NOVEMBER, DECEMBER],
    [DECEMBER, DECEMBER, Date.parse('2027-01-01T00:00:00Z')],
    [Date.parse('2028-02-29T23:59:59Z'), Date.parse('2028-02-01T00:00:00Z'), Date.parse('2028-03-01T00:00:00Z')],
  ])('of %i', (now, start, end) => {
    expect(monthOf(now)).toEqual({ start, end });
  });
});
