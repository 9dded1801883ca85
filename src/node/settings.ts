import { z } from 'zod';
import { baseUrl, isHttpUrl, listOf, oneOf, type Parsed } from '#core/setting-forms';

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

export const nodeVariables = {
  NODE_URLS: listOf(nodeUrl).default([]),
  NODE_DIALECT: oneOf('auto', 'legacy', 'cosmos').default('auto'),
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
    dialect: env.NODE_DIALECT,
    chainId: env.NODE_CHAIN_ID,
    explorer: { transaction: env.EXPLORER_TX_URL, address: env.EXPLORER_ADDRESS_URL },
  },
});

export type NodeSettings = ReturnType<typeof nodeSettings>;
