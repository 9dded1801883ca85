/** An event of a stream, or a change of the time to wait before a reconnect, in ms. */
export type StreamEvent = { event: string; data: string } | { retry: number };

/** Parses blocks of lines (HTML standard, 9.2.6). Comments and unknown fields are ignored. */
function parse(block: string): StreamEvent[] {
  const events: StreamEvent[] = [];
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) events.push({ retry: Number(value) });
  }
  if (data.length > 0) events.push({ event, data: data.join('\n') });
  return events;
}

/** Creates the function that returns the events that a piece of text completes. */
export function createEventParser(): (piece: string) => StreamEvent[] {
  let rest = '';
  return (piece) => {
    // A carriage return at the end may be the first half of a line end.
    const text = rest + piece;
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const blocks = text.slice(0, end).replace(/\r\n?/g, '\n').split('\n\n');
    rest = (blocks.pop() ?? '') + text.slice(end);
    return blocks.flatMap(parse);
  };
}

/**
 * Returns the events of a response as they arrive. Reads only when the next event is requested, so that the service
 * drops outdated events for a slow reader. `arrived` is called for each piece, even if it contains no event.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>, arrived: () => void): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parseNext = createEventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      arrived();
      if (done) return;
      yield* parseNext(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
