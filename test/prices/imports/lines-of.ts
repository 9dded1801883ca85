import type { CsvLine } from '#prices/imports/csv-file';

export async function linesOf(file: { lines(): AsyncIterable<CsvLine> }): Promise<CsvLine[]> {
  const lines: CsvLine[] = [];
  for await (const line of file.lines()) lines.push(line);
  return lines;
}
