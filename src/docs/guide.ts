import { BUILT_IN_NAMES } from '#catalogue/token';
import { account, gettingKey, leakedKey, renewal } from '#docs/guide/keys';
import { freshness, limits, TOO_MANY_REQUESTS } from '#docs/guide/limits';
import { DATES, firstCall, history, javascriptClient } from '#docs/guide/prices';
import type { GuideSettings } from '#docs/guide/rules';
import { errors, nodeProxy, RULES } from '#docs/guide/rules';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import { attributions } from './source-list.ts';

export type { GuideSettings };

/** Markdown. The first paragraph is a self-contained summary for llms.txt. */
type Section = { id: string; title: string; text: string };
export const SLOGAN = 'Market quotes, on a quota';

export const SUMMARY =
  'An HTTP API for the latest prices, price history and on-chain statistics of crypto tokens, and for ' +
  'access to a blockchain node, with one API key. Prices are in US dollars and other currencies. The ' +
  `tokens are ${BUILT_IN_NAMES.slice(0, -1).join(', ')}, ${BUILT_IN_NAMES.at(-1)} and tokens that the ` +
  'operator adds.';

export const ATTRIBUTION = `${attributions((title, url) => `[${title}](${url})`).join('. ')}.`;

export function guide(settings: GuideSettings): Section[] {
  const { basePath } = settings;
  const base = `${EXAMPLE_ORIGIN}${basePath}`;
  return [
    { id: 'key', title: 'Get a key', text: gettingKey(base, settings) },
    { id: 'first-call', title: 'The first call', text: firstCall(base) },
    { id: 'history', title: 'History and CSV', text: history(base, settings) },
    { id: 'dates', title: 'Dates', text: DATES },
    { id: 'client', title: 'The JavaScript client', text: javascriptClient(base) },
    { id: 'limits', title: 'Limits', text: limits(settings) },
    { id: 'too-many-requests', title: '429 responses', text: TOO_MANY_REQUESTS },
    { id: 'leaked-key', title: 'Leaked keys', text: leakedKey(base, basePath) },
    { id: 'renewal', title: 'Renew a key', text: renewal(base, basePath) },
    { id: 'account', title: 'Your account', text: account(base, basePath) },
    { id: 'freshness', title: 'Caching and freshness', text: freshness(base, settings) },
    { id: 'errors', title: 'Errors', text: errors(basePath) },
    { id: 'node', title: 'The node', text: nodeProxy(settings) },
    { id: 'rules', title: 'Rules for all paths', text: RULES },
  ];
}

/** The guide as one Markdown text, which is the `description` of the OpenAPI document. */
export function guideText(settings: GuideSettings): string {
  const sections = guide(settings).map(({ title, text }) => `## ${title}\n\n${text}`);
  const placeholder = `In the examples, replace \`${EXAMPLE_ORIGIN}\` with the origin of this service.`;
  return [`${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`, placeholder, ...sections].join('\n\n');
}
