import { PROBLEM_CODES, type ProblemCode, problemKind } from '#core/problems';
import { escapeHtml } from '#core/record-fields';
import { problemExample } from '#docs/openapi/schemas';
import { assetsOf, htmlPage } from '#docs/pages/page';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import type { Document } from '#docs/reference/document';
import { type Part, referenceParts } from '#docs/reference/reference';
import { ATTRIBUTION, type GuideSettings, guide, SLOGAN, SUMMARY } from './guide.ts';
import { codeHtml, inlineHtml, toHtml } from './markdown.ts';
import { ADVICE } from './problem-advice.ts';

const sidebarPart = ({ title, links }: Part) => `<p class="group">${title}</p>
<ul>
${links.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`).join('\n')}
</ul>`;

const idOf = (title: string) => `all-${title.toLowerCase().replaceAll(' ', '-')}`;

export function docsPage(settings: GuideSettings, document: Document): string {
  const { basePath } = settings;
  const sections = guide(settings);
  const introduction: Part = {
    title: 'Guide',
    links: sections.map(({ id, title }) => ({ id, html: title })),
    html: sections
      .map(
        ({ id, title, text }) => `<section id="${id}" class="guide">\n<h2>${title}</h2>\n${toHtml(text)}\n</section>`,
      )
      .join('\n'),
  };
  const parts = referenceParts(document, basePath);
  const assets = assetsOf(basePath);
  return htmlPage(basePath, {
    title: 'Quotient: docs',
    here: 'docs',
    head: `<link rel="stylesheet" href="${assets}/docs.css">
<script type="module" src="${assets}/docs.js"></script>
`,
    main: `<div class="docs" data-language="curl" data-example-origin="${EXAMPLE_ORIGIN}" data-base-path="${basePath}/">
<div class="sidebar">
<div class="sidebar-head">
<search class="find"><label><span class="unseen">Search the docs</span>
<input type="search" id="find" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="Search: press /"></label>
<ul id="found" role="listbox" aria-label="Search results" hidden></ul>
<p id="nothing-found" class="nothing-found" hidden></p></search>
<button type="button" id="contents-button" class="contents-button" aria-expanded="false" aria-controls="contents">Contents</button>
</div>
<nav id="contents" class="contents" aria-label="On this page">
${[introduction, ...parts].map(sidebarPart).join('\n')}
</nav>
</div>
<div class="text">
<h1>${SLOGAN}</h1>
<p>${inlineHtml(`${SUMMARY} ${ATTRIBUTION}`)}</p>
<p>To explore the data, open <a href="${basePath}/">the console</a>. For programs, use
<a href="${basePath}/openapi.json">openapi.json</a> or the short <a href="${basePath}/llms.txt">llms.txt</a>.</p>
<noscript><p>In the examples, replace <code>${EXAMPLE_ORIGIN}</code> with the origin of this service. To try calls on this page, enable
JavaScript.</p></noscript>
${introduction.html}
${parts.map(({ title, html }) => `<section class="part" id="${idOf(title)}">\n<h2>${title}</h2>\n${html}\n</section>`).join('\n')}
</div>
</div>
<p id="announcements" class="unseen" role="status"></p>`,
  });
}

/** `node_rejected` uses the node's own status. */
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
<dt>Remedy</dt>
<dd>${inlineHtml(remedy)}</dd>
</dl>
<details>
<summary>Example<span class="unseen"> of ${code}</span></summary>
${codeHtml(example)}
</details>
</section>`;
}

/** The `type` of every problem links to its section on this page. */
export function problemPage(basePath: string): string {
  const contents = PROBLEM_CODES.map(
    (code) => `<li><span class="status">${statusOf(code)}</span> <a href="#${code}"><code>${code}</code></a></li>`,
  );
  return htmlPage(basePath, {
    title: 'Quotient: problems',
    here: 'problems',
    head: `<link rel="stylesheet" href="${assetsOf(basePath)}/docs.css">\n`,
    main: `<h1>Problems</h1>
<p>Errors are <code>application/problem+json</code> (RFC 9457). In your code, rely on the member <code>code</code>, not on the texts. Problem responses are free of charge.</p>
<nav class="codes-list" aria-label="Codes">
<ul>
${contents.join('\n')}
</ul>
</nav>
${PROBLEM_CODES.map((code) => section(code, basePath)).join('\n')}`,
  });
}
