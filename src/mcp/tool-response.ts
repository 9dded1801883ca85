import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { iso } from '#core/clock';
import { type Body, bytesOf, type DataResponse } from '#server/responses/response-body';
import type { Cell, Row, ToolResult, Written } from './tool.ts';

/** ISO 8601 in the shortest form: the date of a midnight (UTC), otherwise the time to the second. */
export function isoTime(instant: number): string {
  const text = iso(instant).slice(0, 19);
  return text.endsWith('T00:00:00') ? text.slice(0, 10) : `${text}Z`;
}

export const isoOfHttpDate = (date: string | null): string | null => (date === null ? null : isoTime(Date.parse(date)));

export const isoTimeSchema = z.string();

/** The maximum number of lines in a table, including the header. */
const MAX_LINES = 56;

/** `count` positions from 0 through `last`, evenly spaced, both ends included. */
const spread = (last: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)));

/** Quotes a text that could be read as several cells or lines, such as the log of a transaction. */
const cellText = (cell: Cell): string | number =>
  typeof cell === 'string' && /[",\r\n]/.test(cell) ? JSON.stringify(cell) : (cell ?? '');

/** Comma-separated lines. A longer table contains evenly spaced rows, among them the first and the last. */
export function table(columns: readonly string[], rows: readonly Row[]): string {
  const maxRows = MAX_LINES - 2;
  const isLong = rows.length > maxRows;
  const shown = isLong ? spread(rows.length - 1, maxRows).map((i) => rows[i] as Row) : rows;
  const lines = [columns, ...shown].map((row) => Object.values(row).map(cellText).join(','));
  if (isLong) lines.push(`${maxRows} of ${rows.length} rows, evenly spaced. structuredContent contains all.`);
  return lines.join('\n');
}

export const write = <Data>(data: Data, columns: readonly string[], rows: readonly Row[]): Written<Data> => ({
  json: JSON.stringify(data),
  lines: JSON.stringify(table(columns, rows)).slice(1, -1),
});

/** The number of written bodies in memory. A series with 500 points takes 60 KB. */
const MAX_WRITTEN = 50;
const writtenBodies = new LRUCache<Body, object>({ max: MAX_WRITTEN });

/** Writes a body once, because the response cache shares it between calls. */
function writtenOnce<Text extends object>(body: Body, writeBody: (json: unknown) => Text): Text {
  const cached = writtenBodies.get(body);
  if (cached) return cached as Text;
  const written = writeBody(JSON.parse(bytesOf(body.identity.payload).toString()));
  writtenBodies.set(body, written);
  return written;
}

/**
 * The result that contains a route's response.
 * @param writeBody writes the response's JSON
 */
export function resultFrom<Json, Data, Text extends Written<Data>>(
  response: DataResponse | Promise<DataResponse>,
  writeBody: (json: Json) => Text & Written<Data>,
  noteOf?: (written: Text) => string | undefined,
): ToolResult<Data> | Promise<ToolResult<Data>> {
  if (response instanceof Promise) return response.then((ready) => resultFrom(ready, writeBody, noteOf));
  const { body, source, modifiedAt: at, gaps, currency } = response;
  const written = writtenOnce(body, (json) => writeBody(json as Json));
  return { written, source, at, gaps, currency, note: noteOf?.(written) };
}
