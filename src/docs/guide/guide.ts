import { BUILT_IN_NAMES } from '#catalogue/token';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import { attributions } from '#web/source-list';
import type { Guide, GuideSettings, ToPage } from './context.ts';
import { checkAllowance, firstCall, getKey, handleErrors, nextSteps, readHistory } from './first-steps.ts';
import { thisService } from './this-service.ts';

export const SLOGAN = 'Market quotes, on a quota';

export const SUMMARY =
  'An HTTP API for the latest prices, price history and on-chain statistics of crypto tokens, and for ' +
  'access to a blockchain node, with one API key. Prices are in US dollars and other currencies. The ' +
  `tokens are ${BUILT_IN_NAMES.slice(0, -1).join(', ')}, ${BUILT_IN_NAMES.at(-1)} and tokens that the ` +
  'operator adds.';

export const ATTRIBUTION = `${attributions((title, url) => `[${title}](${url})`).join('. ')}.`;

/** In the examples, the placeholder stands for the service's origin: behind a proxy, the service may not know it. */
export const PLACEHOLDER = `In the examples, replace \`${EXAMPLE_ORIGIN}\` with the origin of this service.`;

/** Markdown. The first paragraph is a self-contained summary for llms.txt. */
type Section = { title: string; text: string };

export function gettingStarted(settings: GuideSettings, to: ToPage): Section[] {
  const guide: Guide = { base: `${EXAMPLE_ORIGIN}${settings.basePath}`, settings, to };
  return [
    { title: 'Get a key', text: getKey(guide) },
    { title: 'Make the first call', text: firstCall(guide) },
    { title: 'Read the history', text: readHistory(guide) },
    { title: 'Check your allowance', text: checkAllowance(guide) },
    { title: 'Handle errors', text: handleErrors(guide) },
    { title: 'Limits of this service', text: thisService(settings) },
    { title: 'Next steps', text: nextSteps(guide) },
  ];
}

export const textOf = (sections: readonly Section[]) =>
  sections.map(({ title, text }) => `## ${title}\n\n${text}`).join('\n\n');

export function describeApi(settings: GuideSettings): string {
  const to: ToPage = (path, section) => `${settings.basePath}/docs/${path}${section ? `#${section}` : ''}`;
  return [`${SLOGAN}. ${SUMMARY} ${ATTRIBUTION}`, PLACEHOLDER, textOf(gettingStarted(settings, to))].join('\n\n');
}
