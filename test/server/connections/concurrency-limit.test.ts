import { expect, test } from 'vitest';
import { Problem } from '#core/problems';
import { createConcurrencyLimit } from '#server/connections/loop-turns';

test('limits the concurrent calls of each caller, and a call that ends makes room', () => {
  const begin = createConcurrencyLimit<string>(2, () => new Problem('overloaded', 'Two are under way.'));
  const ends = [begin('ada'), begin('ada')];
  expect(() => begin('ada')).toThrow('Two are under way.');
  expect(() => begin('bob')).not.toThrow();
  for (const end of ends) end();
  begin('ada');
  begin('ada');
  expect(() => begin('ada')).toThrow('Two are under way.');
});
