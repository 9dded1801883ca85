import { escapeHtml } from '#core/forms/record-fields';
import type { Problem } from '#core/problems';
import type { Asked } from '#server/responses/problem-responses';
import { htmlPage, shownPath } from './page.ts';

function nothingThere(url: string, nearest: string | undefined): string {
  const meant = nearest && `\n<p>Did you mean <a href="${nearest}"><code>${nearest}</code></a>?</p>`;
  return `<p>There is no page at <code>${escapeHtml(shownPath(url))}</code>.</p>${meant ?? ''}`;
}

function wrong({ message, members: { errors = [] } }: Problem): string {
  if (errors.length === 0) return `<p>${escapeHtml(message)}</p>`;
  const faults = errors.map(
    ({ location, message, fix }) =>
      `<li><code>${escapeHtml(location)}</code> ${escapeHtml(message)}: ${escapeHtml(fix)}</li>`,
  );
  return `<ul>\n${faults.join('\n')}\n</ul>`;
}

/** A problem as a page for browsers. The page never repeats the query. */
export function problemHtml(problem: Problem, { basePath, url, requestId, unknown }: Asked): string {
  const { code, status } = problem;
  const title = escapeHtml(problem.title);
  const isCall = url.startsWith(`${basePath}/v1/`);
  return htmlPage(basePath, {
    title: `Quotient: ${title}`,
    main: `<h1>${title}</h1>
${unknown ? nothingThere(url, unknown.nearest) : wrong(problem)}
${isCall ? '<p>Paths under <code>/v1/</code> are API endpoints. These pages are for people:</p>' : '<p>Other pages:</p>'}
<ul>
<li><a href="${basePath}/">Console</a>: prices, charts and your key</li>
<li><a href="${basePath}/docs">Docs</a>: guides and API reference</li>
<li><a href="${basePath}/status">Status</a>: whether the service is available</li>
</ul>
<p class="soft">Status ${status}, <a href="${basePath}/docs/problems#${code}">what <code>${code}</code> means</a>, request <code>${escapeHtml(requestId)}</code></p>`,
  });
}
