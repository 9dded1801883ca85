import { describe, expect, test } from 'vitest';
import { keyAtOnce, keysIn } from '#gate/presented-key';
import { mintApiKey } from '#keys/api-key';
import { setKeyInUrl } from '#server/url-key';

const [KEY, OTHER] = [mintApiKey(), mintApiKey()];
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/**
 * A request head as Node parses it. Node keeps the first of two `Authorization` fields, and joins other repeated
 * fields.
 */
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

describe('keys in a request head', () => {
  test.each<[string, ReturnType<typeof head>, string[]]>([
    ['no header', head(), []],
    ['an empty header', head(own('')), []],
    ['X-API-KEY', head(own(KEY)), [KEY]],
    ['the same key twice', head(own(KEY), own(KEY)), [KEY]],
    ['two', head(own(KEY), own(OTHER)), [KEY, OTHER]],
    ['Bearer', authorization(`Bearer ${KEY}`), [KEY]],
    ['bearer with extra spaces', authorization(`bearer   ${KEY} `), [KEY]],
    ['Bearer with an invalid key', authorization('Bearer nonsense'), ['nonsense']],
    ['Bearer with an empty key', authorization('Bearer '), []],
    ['Bearer without a space', authorization('Bearer'), []],
    ['Basic, key as the user name', authorization(basic(`${KEY}:`)), [KEY]],
    ['Basic, key as the password', authorization(basic(`:${KEY}`)), [KEY]],
    ['Basic with two keys', authorization(basic(`${KEY}:${OTHER}`)), []],
    ['Basic with no key', authorization(basic(':')), []],
    ['Basic without a colon', authorization(basic(KEY)), []],
    ['Basic with one character', authorization(basic('a')), []],
    ['Basic that is not base64', authorization('Basic ~~~'), []],
    ['another scheme', authorization(basic(`${KEY}:`).replace('Basic', 'Digest')), []],
    ['a key without a scheme', authorization(KEY), []],
    ['two Authorization fields with the same key', authorization(`Bearer ${KEY}`, basic(`${KEY}:`)), [KEY]],
    ['two Authorization fields with different keys', authorization(`Bearer ${KEY}`, basic(`${OTHER}:`)), [KEY, OTHER]],
    ['both headers, same key', head(own(KEY), ['authorization', `Bearer ${KEY}`]), [KEY]],
    ['both headers, different keys', head(own(KEY), ['authorization', basic(`${OTHER}:`)]), [KEY, OTHER]],
    ['an invalid key and a valid key', head(own('nonsense'), ['authorization', `Bearer ${KEY}`]), ['nonsense', KEY]],
    ['an empty header and a valid key', head(own(''), ['authorization', `Bearer ${KEY}`]), [KEY]],
    ["a key and a proxy's credentials", head(own(KEY), ['authorization', basic('ada:lovelace')]), [KEY]],
    ["a key and a proxy's token", head(own(KEY), ['authorization', 'Bearer eyJhbGciOi']), [KEY]],
  ])('%s', (_name, given, keys) => {
    expect(keysIn(given)).toEqual(keys);
    expect(keyAtOnce(given) || undefined).toBe(keys.length === 1 ? keys[0] : undefined);
  });

  test.each<[string, ReturnType<typeof head>, string[]]>([
    ['no header', head(), [KEY]],
    ['the same key in X-API-KEY', head(own(KEY)), [KEY]],
    ['another key in X-API-KEY', head(own(OTHER)), [OTHER, KEY]],
    ['another key in Authorization', authorization(`Bearer ${OTHER}`), [KEY, OTHER]],
    ["a proxy's credentials", authorization(basic('ada:lovelace')), [KEY]],
  ])('and in the URL: %s', (_name, given, keys) => {
    setKeyInUrl(given, KEY);
    expect(keysIn(given)).toEqual(keys);
    expect(keyAtOnce(given)).toBe(keys.length === 1 ? KEY : undefined);
  });
});
