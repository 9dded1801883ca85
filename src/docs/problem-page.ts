import { PROBLEM_CODES, type ProblemCode, problemKind } from '#core/problems';
import { escapeHtml } from '#core/text';
import { problemExample } from '#docs/openapi/schemas';
import { assetsOf, htmlPage } from '#docs/pages/page';
import { codeHtml, inlineHtml } from './content/markdown.ts';
import { ADVICE } from './content/problem-advice.ts';

/** What the node refuses goes out with the status that it gave. */
const statusOf = (code: ProblemCode) => (code === 'node_rejected' ? '4xx' : String(problemKind(code).status));

function section(code: ProblemCode, basePath: string): string {
  const { title } = problemKind(code);
  const { cause, remedy } = ADVICE[code];
  const example = JSON.stringify(problemExample(code, basePath), null, 2);
  return `<section id="${code}" class="problem">
<h2><a href="#${code}"><code>${code}</code></a></h2>
<p class="meaning"><span class="status">${statusOf(code)}</span> ${escapeHtml(title)}</p>
<dl>
<dt>Cause</dt>
<dd>${inlineHtml(cause)}</dd>
<dt>What to do</dt>
<dd>${inlineHtml(remedy)}</dd>
</dl>
<details>
<summary>Example<span class="unseen"> of ${code}</span></summary>
${codeHtml(example)}
</details>
</section>`;
}

/** The page that the `type` of every problem leads to: a section for each code, by its name. */
export function problemPage(basePath: string): string {
  const contents = PROBLEM_CODES.map(
    (code) =>
      `<li><span class="status">${statusOf(code)}</span> <a href="#${code}"><code>${code}</code></a></li>`,
  );
  return htmlPage(basePath, {
    title: 'Quotient: problems',
    here: 'problems',
    head: `<link rel="stylesheet" href="${assetsOf(basePath)}/docs.css">\n`,
    main: `<h1>Problems</h1>
<p>Errors are <code>application/problem+json</code> (RFC 9457). Rely on the member <code>code</code>, which is one of these, and
not on the texts. Only 2xx answers are charged; a problem never is.</p>
<nav class="codes-list" aria-label="Codes">
<ul>
${contents.join('\n')}
</ul>
</nav>
${PROBLEM_CODES.map((code) => section(code, basePath)).join('\n')}`,
  });
}
