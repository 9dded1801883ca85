import { escapeHtml } from '#core/html';
import type { Problem } from '#core/problems';
import { VERSION } from '#docs/content/version';
import { assetsOf, htmlPage } from '#docs/pages/page';
import type { Warning } from '#upstream/warning';
import { statusWords, timeInWords, type Words } from './status-words.ts';

/** What is known of the service: why it cannot serve, or what it warns of while it does. */
export type Status = { problem: Problem } | { warnings: readonly Warning[] };

const WHY: Readonly<Partial<Record<Problem['code'], string>>> = {
  overloaded: 'This process is stopping. Another one takes over, or the same starts again in a moment.',
  database_unavailable:
    'The database cannot be reached. Prices that are in memory may still be served for some seconds to keys that are in use.',
};

/** A state has a sign and words, and a color beside them. */
function stateOf(status: Status): {
  kind: 'good' | 'fair' | 'bad';
  sign: string;
  title: string;
  text: string;
} {
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

/** The page that tells people whether the service can serve, as it was found at an instant (Unix ms). */
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
