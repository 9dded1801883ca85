import { type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { SECOND } from '#domain/clock';
import type { Representation } from '#services/caching/bodies';

/** What Node keeps the text of a head in until it sends it. It is not published: `takesReadyHead` looks for it. */
type Headed = { _header?: string | null };

/** Fields, a flat list of names and values, as they go over the wire; they must be known to be well formed. */
export function linesOf(fields: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return lines;
}

/** The beginning of a 200's head, with fields that many answers have in common. Throws where one is not well formed. */
export function beginningOf(fields: readonly string[]): string {
  for (let i = 0; i < fields.length; i += 2) {
    validateHeaderName(fields[i] as string);
    validateHeaderValue(fields[i] as string, fields[i + 1] as string);
  }
  return `HTTP/1.1 200 OK\r\n${linesOf(fields)}`;
}

/** The end of heads on connections that stay open for so many ms of silence, as Node writes it. */
export function createHeadEnd(keepAliveMs: number) {
  const connection = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / SECOND)}\r\n\r\n`;
  let second = Number.NaN;
  let text = '';

  return (now: number): string => {
    const current = Math.floor(now / SECOND);
    if (current !== second) {
      second = current;
      text = `Date: ${new Date(now).toUTCString()}\r\n${connection}`;
    }
    return text;
  };
}

export type HeadEnd = ReturnType<typeof createHeadEnd>;

/** Whether a response takes a head that is text already: one to a request that leaves its connection open. */
export const takesReadyHead = (response: ServerResponse): boolean =>
  response.shouldKeepAlive && (response as Headed)._header === null;

/**
 * Sends a whole answer whose head is text already. `writeHead` looks at each name and value of each answer again,
 * which was measured as 8% of a call, and Node publishes no way past it. All that comes after it (flow control,
 * pipelining, the life of the connection) stays Node's.
 */
export function endReady(response: ServerResponse, head: string, { payload }: Representation): void {
  (response as Headed)._header = head;
  response.end(payload, 'latin1');
}
