/**
 * Rewrites CSV for spreadsheets in locales with a decimal comma. Semicolons separate the fields. Numbers with a decimal
 * comma are quoted, because LibreOffice separates fields at semicolons and commas unless the user changes its options.
 * The fields must contain no comma and no quotation mark, and no point other than the decimal point.
 */
export const withSemicolons = (csv: string): string =>
  csv.replace(/[^,\r\n]*\.[^,\r\n]*|,/g, (found) => (found === ',' ? ';' : `"${found.replace('.', ',')}"`));
