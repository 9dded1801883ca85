import { z } from 'zod';
import { isMempool } from '#statistics/configured-sources';

/*
 * The forms of the settings that are URLs. No fault repeats the value: it may hold a secret.
 */

export const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http:// or https:// URL')
  .transform((text) => text.replace(/\/+$/, ''));
type Url = z.ZodType<string, string>;

/** Paths are put behind it. */
export const baseUrl = httpUrl.refine(
  (text) => !/[?#]/.test(text),
  'must be a URL without a query and a fragment',
);

const listOf = (url: Url) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(url));

const isEncoded = (text: string) => {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
};

/** Of nodes: what is before an @ goes out as basic authentication. */
const nodeUrl = baseUrl.refine((text) => {
  const { username, password } = URL.parse(text) ?? {};
  return [username, password].every((one) => !one || isEncoded(one));
}, 'must be a URL with credentials in valid percent-encoding');

export const nodeUrls = listOf(nodeUrl);

/** A list of sources of statistics: each is named in the metrics, and has its share of one deadline, so it is short. */
export const upToEight = (url: Url) =>
  listOf(url).refine((urls) => urls.length <= 8, 'must be 8 URLs at most');

export const chainUrl = baseUrl.refine(
  (text) => !/\/(stats|info)$/.test(text),
  'must end before /stats or /info: the paths are put behind it',
);

export const bitcoinUrl = chainUrl.refine(
  (text) => isMempool(text) || !URL.parse(text)?.host.includes('mempool'),
  'must end in /api where it is one of mempool, as in https://mempool.space/api',
);

/** A template of a link: an http(s) URL in which a name stands in braces. */
export const linkTemplate = (name: string) =>
  z
    .string()
    .refine(
      (text) => text.includes(`{${name}}`) && /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
      `must be an http:// or https:// URL with {${name}} in it`,
    );
