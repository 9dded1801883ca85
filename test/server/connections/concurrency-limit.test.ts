import { expect, test } from 'vitest';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';

test('so many of each caller are under way at once, and one that ends makes room', () => {
  const begin = createConcurrencyLimit<string>(2, () => new Problem('overloaded', 'Two are under way.'));
  const ends = [begin('ada'), begin('ada')];
  expect(() => begin('ada')).toThrow('Two are under way.');
  expect(() => begin('bob')).not.toThrow();
  for (const end of ends) end();
  begin('ada');
  begin('ada');
  expect(() => begin('ada')).toThrow('Two are under way.');
});
