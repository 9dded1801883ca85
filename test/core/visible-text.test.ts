import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasHidden, visible, visibleJson } from '#core/forms/visible-text';

it.each([
  ['the directional override', 'Ada\u202eecalevoL', 'Ada\\u{202e}ecalevoL'],
  ['an isolate', '\u2066Ada\u2069', '\\u{2066}Ada\\u{2069}'],
  ['a mark', 'Ada\u200f', 'Ada\\u{200f}'],
  ['a space without width', 'Ada\u200b', 'Ada\\u{200b}'],
  ['a byte order mark', 'A\ufeffda', 'A\\u{feff}da'],
  ['a soft hyphen', 'A\u00adda', 'A\\u{ad}da'],
  ['a joiner between Latin letters', 'A\u200dda', 'A\\u{200d}da'],
  ['a joiner at the end', 'علی\u200c', 'علی\\u{200c}'],
  ['a selector after a Latin letter', 'Ada\ufe0f', 'Ada\\u{fe0f}'],
  ['a second selector', '⚠\ufe0f\ufe0f', '⚠\ufe0f\\u{fe0f}'],
  ['a tag', 'Ada\u{e0041}', 'Ada\\u{e0041}'],
  ['a filler', 'Ada\u3164', 'Ada\\u{3164}'],
  ['an empty Braille pattern', 'Ada\u2800', 'Ada\\u{2800}'],
  ['a line separator', 'Ada\u2028', 'Ada\\u{2028}'],
  ['a line break', 'Ada\nGrace', 'Ada\\u{a}Grace'],
  ['an escape for a terminal', 'Ada\u001b[2K', 'Ada\\u{1b}[2K'],
  ['a control character of eight bits', 'Ada\u009b2K', 'Ada\\u{9b}2K'],
])('shows %s', (_, text, shown) => {
  expect([hasHidden(text), visible(text)]).toEqual([true, shown]);
});

describe('of any text', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 20 });

  it('nothing hidden is left, and a second pass changes nothing', () => {
    fc.assert(fc.property(texts, (text) => !hasHidden(visible(text))));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0x10ffff }),
        (point) => !/[\p{Bidi_Control}\p{Cc}]/u.test(visible(String.fromCodePoint(point))),
      ),
    );
  });

  it('the values of a JSON text stay the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const json = JSON.stringify(value, null, indent);
        expect(JSON.parse(visibleJson(json))).toEqual(JSON.parse(json));
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const written = visibleJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(written)).toEqual({ text });
        expect(hasHidden(written.replaceAll('\n', ''))).toBe(false);
      }),
    );
  });
});
