import { escapeHtml } from '#core/forms/record-fields';
import type { Problem } from '#core/problems';
import { VERSION } from '#core/version';
import { SHOWN_DAYS } from '#status/incident';
import type { StatusReport } from '#status/open-status';
import { isImpaired } from '#upstream/component';
import type { Warning } from '#upstream/freshness';
import { assetsOf, htmlPage } from '#web/page';
import { componentsHtml, incidentsHtml, timeHtml } from './status-components.ts';
import { statusWords, type Words } from './status-words.ts';

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
  if (report.components.some(isImpaired)) {
    const text = 'Some data may be missing or outdated.';
    return { kind: 'fair', sign: '!', title: 'Serving, with limits', text };
  }
  if (status.warnings.length > 0) {
    const text = 'All components are working. The warnings describe data that may be missing or outdated.';
    return { kind: 'fair', sign: '!', title: 'Serving, with warnings', text };
  }
  return { kind: 'good', sign: '✓', title: 'Serving', text: 'There are no known problems.' };
}

const item = ({ subject, wrong, effect }: Words) =>
  `<li><strong>${escapeHtml(subject)}</strong> ${escapeHtml(wrong)} <span>${escapeHtml(effect)}</span></li>`;

function warningList(warnings: readonly Warning[], { components }: StatusReport): string {
  if (warnings.length === 0) return '';
  return `<h2>Warnings</h2>\n<ul>\n${statusWords(warnings, components).map(item).join('\n')}\n</ul>`;
}

/** The operator's message to all users. `until` in Unix ms. */
export type Announcement = { text: string; until: number };

const announcementHtml = ({ text, until }: Announcement) =>
  `<p class="announcement"><strong>Announcement</strong> ${escapeHtml(text)} <span class="soft">Until ${timeHtml(until)}</span></p>`;

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
<div id="warnings">${'warnings' in status ? warningList(status.warnings, report) : ''}</div>
<h2>Components</h2>
<div id="components">${componentsHtml(report, at)}</div>
<h2>Incidents of the last ${SHOWN_DAYS} days</h2>
<div id="incidents">${incidentsHtml(report, at)}</div>
<p>Last checked <span id="looked-at">${time}</span>, version ${VERSION}. <a href="${basePath}/status">Check again</a></p>
<p class="soft"><span class="with-script">This page refreshes every 30 seconds.</span> For programs: <a href="${basePath}/health/ready">/health/ready</a>, or this page as JSON with <code>Accept: application/json</code>.</p>`,
  });
}
