import { z } from 'zod';
import { baseUrl, isHttpUrl, listOf, oneOf, type Parsed, whole } from '#core/forms/setting-forms';

const isEncoded = (text: string) => {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
};

/** Credentials in a URL are sent as Basic authentication. */
const nodeUrl = baseUrl.refine((text) => {
  const { username, password } = URL.parse(text) ?? {};
  return [username, password].every((one) => !one || isEncoded(one));
}, 'must be a URL with valid percent-encoding in its credentials');

/** A link template: an http(s) URL that contains a name in braces. */
const linkTemplate = (name: string) =>
  z
    .string()
    .refine(
      (text) => text.includes(`{${name}}`) && isHttpUrl(text),
      `must be an http:// or https:// URL that contains {${name}}`,
    );

/** The maximum body of a broadcast, in KB. An upload of a contract is larger. */
export const DEFAULT_BODY_KB = 128;

/**
 * First segments of a node's REST paths. Excludes `cosmos`, whose modules the allow list names, and segments of paths
 * that are not queries.
 */
const PREFIX = /^(?!(cosmos|metrics|swagger|static|openapi|websocket)$)[a-z][\w-]{0,39}$/;
const prefixes = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine(
    (names) => names.every((name) => PREFIX.test(name)),
    'must be a comma-separated list of first path segments such as osmosis, and must not contain cosmos, metrics or swagger',
  )
  .transform((names): ReadonlySet<string> => new Set(names));

export const nodeVariables = {
  NODE_URLS: listOf(nodeUrl).default([]),
  NODE_DIALECT: oneOf('auto', 'legacy', 'cosmos').default('auto'),
  NODE_RPC_URLS: listOf(nodeUrl).default([]),
  NODE_REST_PREFIXES: prefixes.default(new Set()),
  NODE_MAX_BODY_KB: whole(DEFAULT_BODY_KB, 1024).default(DEFAULT_BODY_KB),
  NODE_CHAIN_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,50}$/, 'must be a chain ID, such as cosmoshub-4')
    .optional(),
  EXPLORER_TX_URL: linkTemplate('hash').optional(),
  EXPLORER_ADDRESS_URL: linkTemplate('address').optional(),
};

export const nodeSettings = (env: Parsed<typeof nodeVariables>) => ({
  node: {
    urls: env.NODE_URLS,
    rpcUrls: env.NODE_RPC_URLS,
    prefixes: env.NODE_REST_PREFIXES,
    maxBodyBytes: env.NODE_MAX_BODY_KB * 1024,
    dialect: env.NODE_DIALECT,
    chainId: env.NODE_CHAIN_ID,
    explorer: { transaction: env.EXPLORER_TX_URL, address: env.EXPLORER_ADDRESS_URL },
  },
});

export type NodeSettings = ReturnType<typeof nodeSettings>;
