import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';

export type StreamEvent = { event: string; id?: string; data: string };
/** `ca` is the certificate that an `https:` URL is checked with. */
type Options = { key?: string; method?: string; headers?: Record<string, string>; ca?: string };

/** Opens a stream of server-sent events and collects the events. Any other response is collected as text. */
export async function openEvents(url: string, { key, method = 'GET', headers, ca }: Options = {}) {
  const open = url.startsWith('https:') ? secureRequest : request;
  const sent = open(url, { ca, method, agent: false, headers: { ...(key && { 'x-api-key': key }), ...headers } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const events: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let isEnded = false;
  let comments = 0;
  let retry: number | undefined;
  const changed = () => {
    for (const look of waiting) look();
  };

  function read(block: string): void {
    const fields = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/.exec(line) as RegExpExecArray);
    const of = (name: string) => fields.find(([, field]) => field === name)?.[2];
    if (fields.some(([, field]) => field === '')) comments += 1;
    if (of('retry') !== undefined) retry = Number(of('retry'));
    const event = of('event');
    const data = of('data');
    const id = of('id');
    if (event !== undefined && data !== undefined) events.push({ event, data, ...(id !== undefined && { id }) });
  }

  const isStream = response.headers['content-type'] === 'text/event-stream';
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    for (let end = text.indexOf('\n\n'); isStream && end >= 0; end = text.indexOf('\n\n')) {
      read(text.slice(0, end));
      text = text.slice(end + 2);
    }
    changed();
  });
  response.on('error', () => undefined);
  response.once('close', () => {
    isEnded = true;
    changed();
  });

  function until(isMet: () => boolean): Promise<void> {
    if (isMet()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const look = () => {
        if (isMet()) resolve();
        else if (isEnded) reject(new Error(`the stream ended after ${JSON.stringify(events)} and ${text}`));
        else return;
        waiting.delete(look);
      };
      waiting.add(look);
    });
  }
  const ended = () => until(() => isEnded);
  if (!isStream) await ended();

  return {
    status: response.statusCode as number,
    headers: response.headers as IncomingHttpHeaders,
    events,
    comments: () => comments,
    retry: () => retry,
    prices: () => events.filter(({ event }) => event === 'price').map(({ data }) => JSON.parse(data)),
    /** The code of the problem that ended the stream, or of the response. */
    code: (): string | undefined => {
      const body = isStream ? events.find(({ event }) => event === 'problem')?.data : text;
      return body ? JSON.parse(body).code : undefined;
    },
    problem: () => JSON.parse(events.find(({ event }) => event === 'problem')?.data ?? 'null'),
    /** Resolves when this many events have arrived. */
    received: (count: number) => until(() => events.length >= count),
    until,
    ended,
    isEnded: () => isEnded,
    /** Stops and resumes reading. */
    pause: () => response.pause(),
    resume: () => response.resume(),
    close: () => response.destroy(),
  };
}

export type Events = Awaited<ReturnType<typeof openEvents>>;
