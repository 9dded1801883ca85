import type { Problem } from '#core/problems';
import { escapeHtml } from '#core/record-fields';
import { VERSION } from '#docs/markdown';
import { assetsOf, htmlPage } from '#docs/pages/page';
import { SOURCES } from '#docs/source-list';
import { causeInWords } from '#upstream/failure';
import type { Warning } from '#upstream/freshness';
import { readResource } from '#upstream/resource';

export type Status = { problem: Problem } | { warnings: readonly Warning[] };

const WHY: Readonly<Partial<Record<Problem['code'], string>>> = {
  overloaded: 'This process is stopping. Another one takes over, or the same starts again in a moment.',
  database_unavailable:
    'The database cannot be reached. Prices that are in memory may still be served for some seconds to keys that are in use.',
};

/** A sign and words: color alone is not accessible. */
function stateOf(status: Status): { kind: 'good' | 'fair' | 'bad'; sign: string; title: string; text: string } {
  if ('problem' in status) {
    const text = WHY[status.problem.code] ?? status.problem.message;
    return { kind: 'bad', sign: '✕', title: 'Not serving', text };
  }
  if (status.warnings.length === 0)
    return { kind: 'good', sign: '✓', title: 'Serving', text: 'Nothing that was fetched last has failed.' };
  return {
    kind: 'fair',
    sign: '!',
    title: 'Serving, with limits',
    text: 'Some figures may be missing, or older than they should be.',
  };
}

const item = ({ subject, wrong, effect }: Words) =>
  `<li><strong>${escapeHtml(subject)}</strong> ${escapeHtml(wrong)} <span>${escapeHtml(effect)}</span></li>`;

function warningList(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  return `<h2>What is wrong</h2>\n<ul>\n${statusWords(warnings).map(item).join('\n')}\n</ul>`;
}

/** The status page, as of an instant (Unix ms). */
export function statusPage(basePath: string, status: Status, at: number): string {
  const { kind, sign, title, text } = stateOf(status);
  const time = `<time datetime="${new Date(at).toISOString()}">${timeInWords(at)}</time>`;
  return htmlPage(basePath, {
    title: `Quotient: ${title.toLowerCase()}`,
    here: 'status',
    head: `<link rel="stylesheet" href="${assetsOf(basePath)}/status.css">
<script src="${assetsOf(basePath)}/status.js" defer></script>
`,
    main: `<h1>Status</h1>
<div id="state" class="state ${kind}" role="status"><span class="sign" aria-hidden="true">${sign}</span>
<p><strong>${title}</strong> ${escapeHtml(text)}</p></div>
<div id="warnings">${'warnings' in status ? warningList(status.warnings) : ''}</div>
<p>Looked at <span id="looked-at">${time}</span>, version ${VERSION}. <a href="${basePath}/status">Look again</a></p>
<p class="soft"><span class="with-script">This page looks again every 30 seconds.</span> For programs: <a href="${basePath}/health/ready">/health/ready</a></p>`,
  });
}

export type Words = { subject: string; wrong: string; effect: string };
/** `21 Nov 2026, 10:05:00 UTC`, from Unix ms. */
const timeInWords = (at: number) => new Date(at).toUTCString().replace(/^\w+, (.+) (\S+) GMT$/, '$1, $2 UTC');

const titleOf = (name: string) =>
  // The second source of a kind and later ones have their number in the name.
  SOURCES.find((source) => source.name === name.replace(/-\d+$/, ''))?.title ?? name;

type FetchWords = { who: string; subject: (tokens: string) => string; effect: string };
const LAST_GOOD = 'The last good figures are served, with their age.';

/** By the first part of the resource name. */
const FETCHES: Readonly<Record<string, FetchWords>> = {
  latest: { who: 'coingecko', subject: () => 'Latest prices', effect: LAST_GOOD },
  chart: {
    who: 'coingecko',
    subject: (tokens) => `Prices of the last day (${tokens})`,
    effect: 'Charts of a day may end early.',
  },
  hours: {
    who: 'coingecko',
    subject: (tokens) => `Hourly history (${tokens})`,
    effect: 'Hours that were not fetched before are missing.',
  },
  daily: {
    who: 'coingecko',
    subject: (tokens) => `Daily history (${tokens})`,
    effect: 'Days that were not fetched before are missing.',
  },
  'kraken:latest': {
    who: 'kraken',
    subject: () => 'Latest prices of the second source',
    effect: 'They are told only while CoinGecko cannot be asked.',
  },
  kraken: {
    who: 'kraken',
    subject: (tokens) => `History of the second source (${tokens})`,
    effect: 'What CoinGecko could not tell is missing.',
  },
  candles: { who: 'kraken', subject: (tokens) => `Candles (${tokens})`, effect: 'The newest ones may be missing.' },
  rates: {
    who: 'ecb',
    subject: () => 'Exchange rates',
    effect: 'Figures in other currencies are converted with the last rates that are known.',
  },
  statistics: { who: 'their source', subject: (tokens) => `On-chain statistics (${tokens})`, effect: LAST_GOOD },
};

function fetchOf(what: string): { words: FetchWords | undefined; token: string } {
  const { kind, token = '' } = readResource(what);
  return { words: FETCHES[kind], token };
}

/** The maximum number of tokens listed by name. */
const NAMED = 5;

function listOf(tokens: readonly string[]): string {
  const named = tokens.slice(0, NAMED).join(', ');
  return tokens.length > NAMED ? `${named} and ${tokens.length - NAMED} more` : named;
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function wordsOfFetch(what: string, cause: Extract<Warning, { about: 'fetch' }>['cause'], tokens: string[]): Words {
  const { words } = fetchOf(what);
  const wrong =
    cause === 'not stored'
      ? 'What was fetched could not be stored.'
      : `${capital(titleOf(words?.who ?? 'the source'))} ${causeInWords(cause)}.`;
  return { subject: words?.subject(listOf(tokens)) ?? what, wrong, effect: words?.effect ?? '' };
}

function nodeWords(warning: Extract<Warning, { about: 'node' }>): string {
  if ('cause' in warning) return `It ${causeInWords(warning.cause)}.`;
  if ('blocksBehind' in warning) return `It is ${warning.blocksBehind} blocks behind.`;
  return 'It is of another chain.';
}

function wordsOf(warning: Exclude<Warning, { about: 'fetch' }>): Words {
  switch (warning.about) {
    case 'statistics source':
      return {
        subject: 'On-chain statistics',
        wrong: `${capital(titleOf(warning.source))} ${causeInWords(warning.cause)}.`,
        effect: `Another source is asked. Where there is none: ${LAST_GOOD.toLowerCase()}`,
      };
    case 'plan':
      return {
        subject: 'The plan at CoinGecko',
        wrong: `${capital(warning.difference)}.`,
        effect: 'The smaller figures hold: prices may be fetched less often, and history may begin later.',
      };
    case 'failover': {
      const [told, first] = [titleOf(warning.served), titleOf(warning.primary)];
      const since = timeInWords(warning.since);
      return {
        subject: 'Latest prices',
        wrong: `They come from ${told} in place of ${first} since ${since}.`,
        effect: `Market caps and supplies stay as ${first} told them last.`,
      };
    }
    case 'price': {
      const { token, before, after } = warning;
      return {
        subject: `The price of ${token}`,
        wrong: `It was ${before.price} by ${titleOf(before.source)} and ${after.price} by ${titleOf(after.source)} when the source changed.`,
        effect: 'One of the two may be wrong.',
      };
    }
    case 'node':
      return {
        subject: `Node ${warning.node} of the chain`,
        wrong: nodeWords(warning),
        effect: 'Calls go to the other nodes, where there are any.',
      };
  }
}

/** Failed fetches of one kind with one cause are merged into one warning, whatever their tokens. */
export function statusWords(warnings: readonly Warning[]): Words[] {
  const fetches = warnings.filter((warning) => warning.about === 'fetch');
  const others = warnings.filter((warning) => warning.about !== 'fetch');
  const alike = Map.groupBy(fetches, ({ what, cause }) => `${fetchOf(what).words?.subject('') ?? what} ${cause}`);
  const grouped = [...alike.values()].map(([first, ...more]) => {
    const { what, cause } = first as (typeof fetches)[number];
    const tokens = [what, ...more.map((one) => one.what)].map((one) => fetchOf(one).token);
    return wordsOfFetch(what, cause, [...new Set(tokens)]);
  });
  return [...grouped, ...others.map(wordsOf)];
}
