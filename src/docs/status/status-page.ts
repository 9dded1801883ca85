import type { Problem } from '#core/problems';
import { escapeHtml } from '#core/record-fields';
import { VERSION } from '#core/version';
import { assetsOf, htmlPage } from '#docs/pages/page';
import { SOURCES } from '#docs/source-list';
import type { StatusReport } from '#status/open';
import { isImpaired } from '#upstream/component';
import { causeInWords } from '#upstream/failure';
import type { Warning } from '#upstream/freshness';
import { readResource } from '#upstream/resource';
import { componentsHtml, incidentsHtml, timeHtml, timeInWords } from './status-components.ts';

export type Status = { problem: Problem } | { warnings: readonly Warning[] };

const WHY: Readonly<Partial<Record<Problem['code'], string>>> = {
  overloaded: 'This process is stopping. Another process takes over, or this process restarts shortly.',
  database_unavailable:
    'The database is unavailable. For a few seconds, calls with recently used keys are still served from memory.',
};

/** A sign and text also show the state, because color alone is not accessible. */
function stateOf(
  status: Status,
  report: StatusReport,
): { kind: 'good' | 'fair' | 'bad'; sign: string; title: string; text: string } {
  if ('problem' in status) {
    const text = WHY[status.problem.code] ?? status.problem.message;
    return { kind: 'bad', sign: '✕', title: 'Not serving', text };
  }
  if (status.warnings.length === 0 && !report.components.some(isImpaired))
    return { kind: 'good', sign: '✓', title: 'Serving', text: 'All recent fetches succeeded.' };
  return {
    kind: 'fair',
    sign: '!',
    title: 'Serving, with limits',
    text: 'Some data may be missing or outdated.',
  };
}

const item = ({ subject, wrong, effect }: Words) =>
  `<li><strong>${escapeHtml(subject)}</strong> ${escapeHtml(wrong)} <span>${escapeHtml(effect)}</span></li>`;

function warningList(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return '';
  return `<h2>Warnings</h2>\n<ul>\n${statusWords(warnings).map(item).join('\n')}\n</ul>`;
}

/** The operator's message to all users. `until` in Unix ms. */
export type Announcement = { text: string; until: number };

const announcementHtml = ({ text, until }: Announcement) =>
  `<p class="announcement"><strong>Announcement</strong> ${escapeHtml(text)} <span class="soft">Until ${timeHtml(until)}</span></p>`;

/** The status page, as of an instant (Unix ms). */
export function statusPage(
  basePath: string,
  { status, report, announcement }: { status: Status; report: StatusReport; announcement?: Announcement | undefined },
  at: number,
): string {
  const { kind, sign, title, text } = stateOf(status, report);
  const time = timeHtml(at);
  return htmlPage(basePath, {
    title: `Quotient: ${title.toLowerCase()}`,
    here: 'status',
    head: `<link rel="stylesheet" href="${assetsOf(basePath)}/status.css">
<script src="${assetsOf(basePath)}/status.js" defer></script>
`,
    main: `<h1>Status</h1>
<div id="state" class="state ${kind}" role="status"><span class="sign" aria-hidden="true">${sign}</span>
<p><strong>${title}</strong> ${escapeHtml(text)}</p></div>
<div id="announcement">${announcement ? announcementHtml(announcement) : ''}</div>
<div id="warnings">${'warnings' in status ? warningList(status.warnings) : ''}</div>
<h2>Components</h2>
<div id="components">${componentsHtml(report, at)}</div>
<h2>Incidents of the last 30 days</h2>
<div id="incidents">${incidentsHtml(report, at)}</div>
<p>Last checked <span id="looked-at">${time}</span>, version ${VERSION}. <a href="${basePath}/status">Check again</a></p>
<p class="soft"><span class="with-script">This page refreshes every 30 seconds.</span> For programs: <a href="${basePath}/health/ready">/health/ready</a>, or this page as JSON with <code>Accept: application/json</code>.</p>`,
  });
}

export type Words = { subject: string; wrong: string; effect: string };

const titleOf = (name: string) =>
  // The names of the second and later sources of a kind end in a number.
  SOURCES.find((source) => source.name === name.replace(/-\d+$/, ''))?.title ?? name;

type FetchWords = { source: string; subject: (tokens: string) => string; effect: string };
const LAST_GOOD = 'The last good data is served. Responses state its age.';

/** The texts by the first part of the resource name. */
const FETCHES: Readonly<Record<string, FetchWords>> = {
  latest: { source: 'coingecko', subject: () => 'Latest prices', effect: LAST_GOOD },
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
  'kraken:latest': {
    source: 'kraken',
    subject: () => 'Latest prices of the fallback source',
    effect: 'The fallback source is used only while CoinGecko is unavailable.',
  },
  kraken: {
    source: 'kraken',
    subject: (tokens) => `History of the fallback source (${tokens})`,
    effect: "Gaps in CoinGecko's history cannot be filled.",
  },
  candles: {
    source: 'kraken',
    subject: (tokens) => `Candles (${tokens})`,
    effect: 'The newest candles may be missing.',
  },
  rates: {
    source: 'ecb',
    subject: () => 'Exchange rates',
    effect: 'Amounts in other currencies are converted at the last known rates.',
  },
  statistics: { source: 'their source', subject: (tokens) => `On-chain statistics (${tokens})`, effect: LAST_GOOD },
};

function fetchOf(resource: string): { words: FetchWords | undefined; token: string } {
  const { kind, token = '' } = readResource(resource);
  return { words: FETCHES[kind], token };
}

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
      ? 'The fetched data could not be stored.'
      : `${capital(titleOf(words?.source ?? 'the source'))} ${causeInWords(cause)}.`;
  return { subject: words?.subject(listOf(tokens)) ?? what, wrong, effect: words?.effect ?? '' };
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
        effect: 'The next source is queried. If no source responds, the last good data is served.',
      };
    case 'plan':
      return {
        subject: 'The CoinGecko plan',
        wrong: `${capital(warning.difference)}.`,
        effect: 'The smaller plan applies. Prices may be fetched less often, and the history may start later.',
      };
    case 'failover': {
      const [served, primary] = [titleOf(warning.served), titleOf(warning.primary)];
      const since = timeInWords(warning.since);
      return {
        subject: 'Latest prices',
        wrong: `Since ${since}, prices have come from ${served} instead of ${primary}.`,
        effect: `Market caps and supplies are still the last values from ${primary}.`,
      };
    }
    case 'price': {
      const { token, before, after } = warning;
      return {
        subject: `The price of ${token}`,
        wrong: `When the source changed, ${titleOf(before.source)} reported ${before.price}, and ${titleOf(after.source)} reported ${after.price}.`,
        effect: 'One of these prices may be wrong.',
      };
    }
    case 'node':
      return {
        subject: `Node ${warning.node} of the chain`,
        wrong: nodeWords(warning),
        effect: 'If other nodes are configured, calls are sent to them.',
      };
  }
}

/** Merges failed fetches of the same kind and cause into one warning. */
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
