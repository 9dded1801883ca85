import { escapeHtml } from '#core/forms/record-fields';
import { PROBLEM_CODES, type ProblemCode, problemKind } from '#core/problems';
import { codeHtml, inlineHtml } from '#docs/markdown';
import { problemExample } from '#docs/openapi/schemas';
import { assetsOf, htmlPage } from '#web/page';
import type { Content } from './page.ts';

const INTRODUCTION =
  'Errors are `application/problem+json` (RFC 9457). In your code, rely on the member `code`, not on the texts. Problem responses are free of charge.';

/** `node_rejected` uses the node's own status. */
const statusOf = (code: ProblemCode) => (code === 'node_rejected' ? '4xx' : String(problemKind(code).status));

const exampleOf = (code: ProblemCode, basePath: string) => JSON.stringify(problemExample(code, basePath), null, 2);

function sectionHtml(code: ProblemCode, basePath: string): string {
  const { title, cause, remedy } = problemKind(code);
  return `<section id="${code}" class="problem">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="meaning"><span class="status">${statusOf(code)}</span> ${escapeHtml(title)}</p>
<dl>
<dt>Cause</dt>
<dd>${inlineHtml(cause)}</dd>
<dt>Remedy</dt>
<dd>${inlineHtml(remedy)}</dd>
</dl>
<details>
<summary>Example<span class="unseen"> of ${code}</span></summary>
${codeHtml(exampleOf(code, basePath), 'json')}
</details>
</section>`;
}

function sectionMarkdown(code: ProblemCode, basePath: string): string {
  const { title, cause, remedy } = problemKind(code);
  return `## ${code}

${statusOf(code)} ${title}

- Cause: ${cause}
- Remedy: ${remedy}

\`\`\`json
${exampleOf(code, basePath)}
\`\`\``;
}

/** The `type` of every problem links to its section on this page. */
export function problems(basePath: string): Content {
  const contents = PROBLEM_CODES.map(
    (code) => `<li><span class="status">${statusOf(code)}</span> <a href="#${code}"><code>${code}</code></a></li>`,
  );
  return {
    html: `<p>${inlineHtml(INTRODUCTION)}</p>
<nav class="codes-list" aria-label="Codes">
<ul>
${contents.join('\n')}
</ul>
</nav>
${PROBLEM_CODES.map((code) => sectionHtml(code, basePath)).join('\n')}`,
    markdown: [INTRODUCTION, ...PROBLEM_CODES.map((code) => sectionMarkdown(code, basePath))].join('\n\n'),
  };
}

/** The page of the operator's listener, which has no other pages of the docs. */
export const operatorProblemPage = (): string =>
  htmlPage('', {
    title: 'Quotient: problems',
    here: 'problems',
    head: `<link rel="stylesheet" href="${assetsOf('')}/docs.css">\n`,
    main: `<h1>Problems</h1>\n${problems('').html}`,
  });
