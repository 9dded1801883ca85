import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withSemicolons } from '#prices/model/csv';

test('CSV with semicolons has the same fields, with a decimal comma in quotes', () => {
  const field = fc.oneof(
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('', '2026-11-21', '2026-11-21 13:05:00', 'eur', '1e-7', '1.5e-7'),
  );
  const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(rows, (fields) => {
      const csv = withSemicolons(fields.map((row) => `${row.join(',')}\r\n`).join(''));
      const read = csv
        .split('\r\n')
        .slice(0, -1)
        .map((line) => line.split(';').map((text) => text.replace(/^"(.*),(.*)"$/, '$1.$2')));
      expect(read).toEqual(fields);
      // Outside quotes, there is neither a comma nor a point.
      expect(csv.replace(/"[^"]*"/g, '')).not.toMatch(/[.,]/);
    }),
  );
});
