import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEventParser, type StreamEvent } from '#client/stream/events';

const TEXT = [
  'retry: 2500',
  '',
  'event: price',
  'id: 7',
  'data: {"a":1}',
  '',
  ': a comment',
  '',
  'data: first',
  'data: second',
  'unknown: x',
  '',
  'event:problem',
  'data:{}',
  '',
  '',
];
const EVENTS: StreamEvent[] = [
  { retry: 2500 },
  { event: 'price', data: '{"a":1}' },
  { event: 'message', data: 'first\nsecond' },
  { event: 'problem', data: '{}' },
];

test('the events do not depend on the line ends, or on the pieces in which a text arrives', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      (lineEnd, sizes) => {
        // The last carriage return is complete only when another character follows.
        const text = `${TEXT.join(lineEnd)}${lineEnd === '\r' ? ':' : ''}`;
        const parse = createEventParser();
        const events: StreamEvent[] = [];
        for (let at = 0, i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number;
          events.push(...parse(text.slice(at, at + size)));
          at += size;
        }
        expect(events).toEqual(EVENTS);
      },
    ),
  );
});

test('an incomplete event is not returned', () => {
  const parse = createEventParser();
  expect(parse('event: price\ndata: {}\n')).toEqual([]);
  expect(parse('\n')).toEqual([{ event: 'price', data: '{}' }]);
});
