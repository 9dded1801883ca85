import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf, openCsvLines } from '#prices/imports/csv-file';
import { linesOf } from './lines-of.ts';

let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quotient-csv-'));
  path = join(directory, 'prices of München.csv');
});
afterAll(() => rm(directory, { recursive: true }));

async function read(content: string | Buffer) {
  await writeFile(path, content);
  return linesOf(await openCsvLines(path));
}
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};

it.each([
  ['UTF-8', (text: string) => Buffer.from(text)],
  ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16', (text: string) => utf16(text)],
  ['UTF-16 with the higher byte first', (text: string) => utf16(text, true)],
] as const)('the same lines are read with any separator, line ending and quotes, in %s', async (_name, encode) => {
  const rows = [
    ['date', 'price'],
    ['2024-01-01', '1.5'],
    ['2024-01-02', '2'],
  ];
  for (const separator of [',', ';', '\t']) {
    for (const end of ['\n', '\r\n', '\r']) {
      for (const write of [
        (field: string) => field,
        (field: string) => `"${field}"`,
        (field: string) => ` ${field} `,
      ]) {
        for (const first of ['', `sep=${separator}${end}`]) {
          const text = rows.map((row) => row.map(write).join(separator)).join(end);
          const lines = await read(encode(`${first}${text}${end}${end}${separator}${end}`));
          const skipped = first === '' ? 0 : 1;
          expect(lines).toEqual(rows.map((fields, i) => ({ line: i + 1 + skipped, fields })));
        }
      }
    }
  }
});

it('a line ending between two blocks of the file is one line ending', async () => {
  // A block has 64 KB.
  for (const length of [65_534, 65_535, 65_536]) {
    const lines = await read(`${'x'.repeat(length)}\r\nsecond\r\n`);
    expect(lines.map(({ line, fields }) => [line, fields[0]?.length])).toEqual([
      [1, length],
      [2, 6],
    ]);
  }
});

it('any fields are read as they were written', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '1', '"', ',', ';', '.', ' ', '\t', 'é') });
  fc.assert(
    fc.property(fc.array(field, { minLength: 1 }), fc.constantFrom(',', ';', '\t', '|'), (fields, separator) => {
      const line = fields.map((one) => `"${one.replaceAll('"', '""')}"`).join(separator);
      expect(fieldsOf(line, separator)).toEqual(fields.map((one) => one.trim()));
    }),
  );
});

it('a stray quote changes only its own field', () => {
  expect(fieldsOf('1,"2,3', ',')).toEqual(['1', '"2', '3']);
  expect(fieldsOf('1,2",3"', ',')).toEqual(['1', '2"', '3"']);
  expect(fieldsOf('"1"2,3', ',')).toEqual(['"1"2', '3']);
});

it.each([
  ['a compressed file', gzipSync('date,price\n'), /compressed with gzip/],
  ['a spreadsheet', Buffer.from('PK\u0003\u0004 and more'), /spreadsheet/],
  ['an old spreadsheet', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /spreadsheet/],
  ['UTF-16 without a byte order mark', utf16('date,price\n').subarray(2), /is not text in UTF-8/],
  ['zero bytes', Buffer.alloc(5000), /is not text in UTF-8/],
])('%s is named in one line', async (_what, content, message) => {
  const error: Error = await read(content).then(
    () => new Error('it was read'),
    (reason) => reason,
  );
  expect(error.message).toMatch(message);
  expect(error.message.startsWith(path)).toBe(true);
  expect(error.message).not.toContain('\n');
});
