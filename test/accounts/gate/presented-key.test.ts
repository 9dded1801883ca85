import { describe, expect, test } from 'vitest';
import { keyAtOnce, keysIn } from '#accounts/gate/presented-key';
import { mintApiKey } from '#accounts/keys/api-key';

const [KEY, OTHER] = [mintApiKey(), mintApiKey()];
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** A head as Node has it: of two fields `Authorization` the first is kept, of two others both, joined. */
function head(...fields: (readonly [name: string, value: string])[]) {
  const headers: Record<string, string> = {};
  for (const [name, value] of fields) {
    if (name === 'authorization') headers[name] ??= value;
    else headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { headers, rawHeaders: fields.flat() };
}
const authorization = (...values: string[]) => head(...values.map((value) => ['authorization', value] as const));
const own = (value: string) => ['x-api-key', value] as const;

describe('the keys in a head', () => {
  test.each<[string, ReturnType<typeof head>, string[]]>([
    ['no field', head(), []],
    ['an empty one', head(own('')), []],
    ['X-API-KEY', head(own(KEY)), [KEY]],
    ['the same twice', head(own(KEY), own(KEY)), [KEY]],
    ['two', head(own(KEY), own(OTHER)), [KEY, OTHER]],
    ['Bearer', authorization(`Bearer ${KEY}`), [KEY]],
    ['bearer with spaces', authorization(`bearer   ${KEY} `), [KEY]],
    ['Bearer with something else', authorization('Bearer nonsense'), ['nonsense']],
    ['Bearer with nothing', authorization('Bearer '), []],
    ['Bearer and no more', authorization('Bearer'), []],
    ['Basic, the user name', authorization(basic(`${KEY}:`)), [KEY]],
    ['Basic, the password', authorization(basic(`:${KEY}`)), [KEY]],
    ['Basic of both', authorization(basic(`${KEY}:${OTHER}`)), []],
    ['Basic of neither', authorization(basic(':')), []],
    ['Basic without a colon', authorization(basic(KEY)), []],
    ['Basic that is not base64', authorization('Basic ~~~'), []],
    ['another scheme', authorization(`Digest ${KEY}`), []],
    ['a key without a scheme', authorization(KEY), []],
    ['two fields of the same', authorization(`Bearer ${KEY}`, basic(`${KEY}:`)), [KEY]],
    ['two fields that differ', authorization(`Bearer ${KEY}`, basic(`${OTHER}:`)), [KEY, OTHER]],
    ['both headers, the same', head(own(KEY), ['authorization', `Bearer ${KEY}`]), [KEY]],
    ['both headers, two', head(own(KEY), ['authorization', basic(`${OTHER}:`)]), [KEY, OTHER]],
    ['no key and one', head(own('nonsense'), ['authorization', `Bearer ${KEY}`]), ['nonsense', KEY]],
    ['an empty header and one', head(own(''), ['authorization', `Bearer ${KEY}`]), [KEY]],
    ['beside those of a proxy', head(own(KEY), ['authorization', basic('ada:lovelace')]), [KEY]],
    ['beside a token of a proxy', head(own(KEY), ['authorization', 'Bearer eyJhbGciOi']), [KEY]],
  ])('%s', (_name, given, keys) => {
    expect(keysIn(given)).toEqual(keys);
    // The fast path accepts the same key as the others, or none.
    if (keys.length > 1 && given.headers.authorization !== undefined) expect(keyAtOnce(given)).toBeUndefined();
    if (keys.length === 1 && !given.headers['x-api-key']?.includes(',')) expect(keyAtOnce(given)).toBe(keys[0]);
  });
});
