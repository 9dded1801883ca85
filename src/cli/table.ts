/** Rows as aligned columns, two spaces between them; numbers stand right. The first row is the heading. */
export function alignedTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
  }
  const isNumeric = widths.map((_, i) => rows.slice(1).some((row) => typeof row[i] === 'number'));
  return rows
    .map((row) => {
      const cells = row.map((cell, i) => {
        const text = String(cell);
        return isNumeric[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0);
      });
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}
