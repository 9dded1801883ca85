import { MARKET_SOURCES } from '#prices/model/market-sources';
import type { Component } from '#upstream/component';
import { causeInWords } from '#upstream/failures/failure';
import { priceText, shortList, type Warning } from '#upstream/freshness';
import { readResource } from '#upstream/resource';
import { SOURCES } from '#web/source-list';
import { timeInWords } from './status-components.ts';

export type Words = { subject: string; wrong: string; effect: string };

const titleOf = (name: string) =>
  // The names of the second and later sources of a kind end in a number.
  SOURCES.find((source) => source.name === name.replace(/-\d+$/, ''))?.title ?? name;

/** `component` names the component whose stored data is served in the meantime. */
type FetchWords = { source: string; subject: (tokens: string) => string; effect: string; component?: string };
const STORED = 'Stored data is served, with its age. Tokens without stored data are unavailable.';
const NOTHING_STORED = 'No data is stored yet, so requests fail.';

/** The texts of an exchange by the kind of its resources. */
const ofExchange = (source: string): [string, FetchWords][] => [
  [
    `${source}:latest`,
    {
      source,
      subject: () => `Latest prices of ${titleOf(source)}`,
      effect: 'This source cannot replace the sources before it while they are unavailable.',
    },
  ],
  [
    source,
    {
      source,
      subject: (tokens) => `History of ${titleOf(source)} (${tokens})`,
      effect: 'This source cannot fill gaps in the history.',
    },
  ],
];

/** The texts by the kind of the resource. */
const FETCHES: Readonly<Record<string, FetchWords>> = {
  ...Object.fromEntries(MARKET_SOURCES.flatMap(ofExchange)),
  latest: { source: 'coingecko', subject: () => 'Latest prices', effect: STORED, component: 'prices' },
  'latest-missing': {
    source: 'coingecko',
    subject: () => 'Latest prices that were missing from a response',
    effect: STORED,
    component: 'prices',
  },
  chart: {
    source: 'coingecko',
    subject: (tokens) => `Prices of the last day (${tokens})`,
    effect: 'Charts of the last day may lack the newest prices.',
  },
  hours: {
    source: 'coingecko',
    subject: (tokens) => `Hourly history (${tokens})`,
    effect: 'Hours that are not stored yet are missing.',
  },
  daily: {
    source: 'coingecko',
    subject: (tokens) => `Daily history (${tokens})`,
    effect: 'Days that are not stored yet are missing.',
  },
  candles: {
    source: 'kraken',
    subject: (tokens) => `Candles (${tokens})`,
    effect: 'The newest candles may be missing.',
  },
  rates: {
    source: 'ecb',
    subject: () => 'Exchange rates',
    effect:
      'Amounts in other currencies are converted at the stored rates. If no rates are stored, they are unavailable.',
  },
  statistics: {
    source: 'their source',
    subject: (tokens) => `On-chain statistics (${tokens})`,
    effect: STORED,
    component: 'statistics',
  },
};

function fetchOf(resource: string): { words: FetchWords | undefined; token: string } {
  const { kind, token = '' } = readResource(resource);
  return { words: FETCHES[kind], token };
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

type Components = readonly Pick<Component, 'name' | 'dataAt'>[];

function effectOf({ effect, component }: FetchWords, components: Components): string {
  const isEmpty = components.some(({ name, dataAt }) => name === component && dataAt === null);
  return isEmpty ? NOTHING_STORED : effect;
}

function wordsOfFetch(
  resource: string,
  cause: Extract<Warning, { about: 'fetch' }>['cause'],
  tokens: string[],
  components: Components,
): Words {
  const { words } = fetchOf(resource);
  const wrong =
    cause === 'not stored'
      ? 'The fetched data could not be stored.'
      : `${capital(titleOf(words?.source ?? 'the source'))} ${causeInWords(cause)}.`;
  return {
    subject: words?.subject(shortList(tokens)) ?? resource,
    wrong,
    effect: words ? effectOf(words, components) : '',
  };
}

function nodeWords(warning: Extract<Warning, { about: 'node' }>): string {
  if ('cause' in warning) return `The node ${causeInWords(warning.cause)}.`;
  if ('blocksBehind' in warning) return `The node is ${warning.blocksBehind} blocks behind.`;
  return 'The node belongs to another chain.';
}

function wordsOf(warning: Exclude<Warning, { about: 'fetch' }>): Words {
  switch (warning.about) {
    case 'statistics source':
      return {
        subject: 'On-chain statistics',
        wrong: `${capital(titleOf(warning.source))} ${causeInWords(warning.cause)}.`,
        effect: 'The next source is queried. If no source responds, stored data is served.',
      };
    case 'mail':
      return {
        subject: 'Email',
        wrong: `The mail server ${causeInWords(warning.cause)}.`,
        effect: 'Emails arrive late. They are retried for 24 hours.',
      };
    case 'plan':
      return {
        subject: 'The CoinGecko plan',
        wrong: `${capital(warning.difference)}.`,
        effect: 'The smaller plan applies. Prices may be fetched less often, and the history may start later.',
      };
    case 'failover': {
      const primary = titleOf(warning.primary);
      const since = timeInWords(warning.since);
      return {
        subject: 'Latest prices',
        wrong: `Since ${since}, prices have come from ${titleOf(warning.served)} instead of ${primary}.`,
        effect: `Market caps and supplies are still the last values from ${primary}, if it has reported any.`,
      };
    }
    case 'price': {
      const { token, before, after } = warning;
      return {
        subject: `The price of ${token}`,
        wrong: `When the source changed, ${titleOf(before.source)} reported ${priceText(before.price)}, and ${titleOf(after.source)} reported ${priceText(after.price)}.`,
        effect: 'One of these prices may be wrong.',
      };
    }
    case 'withheld prices':
      return {
        subject: `Latest prices (${shortList(warning.tokens)})`,
        wrong: `The prices of ${titleOf(warning.source)} differ from the last known prices by more than a factor of two.`,
        effect: 'The last known prices of these tokens are served. Responses state their age.',
      };
    case 'missing prices':
      return {
        subject: `Latest prices (${shortList(warning.tokens)})`,
        wrong: `${titleOf(warning.source)} has not returned these tokens.`,
        effect: 'The last known prices of these tokens are served. They are requested again at growing intervals.',
      };
    case 'node':
      return {
        subject: `Node ${warning.node} of the chain`,
        wrong: nodeWords(warning),
        effect: 'If other nodes are configured, calls are sent to them.',
      };
  }
}

/** Merges failed fetches of the same kind and cause into one warning. */
export function statusWords(warnings: readonly Warning[], components: Components): Words[] {
  const fetches = warnings.filter((warning) => warning.about === 'fetch');
  const others = warnings.filter((warning) => warning.about !== 'fetch');
  const alike = Map.groupBy(fetches, ({ what, cause }) => `${fetchOf(what).words?.subject('') ?? what} ${cause}`);
  const grouped = [...alike.values()].map(([first, ...more]) => {
    const { what, cause } = first as (typeof fetches)[number];
    const tokens = [what, ...more.map((warning) => warning.what)].map((name) => fetchOf(name).token);
    return wordsOfFetch(what, cause, [...new Set(tokens)], components);
  });
  return [...grouped, ...others.map(wordsOf)];
}
