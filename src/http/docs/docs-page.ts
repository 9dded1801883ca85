import { ATTRIBUTION, EXAMPLE_ORIGIN, type GuideSettings, guide, SLOGAN, SUMMARY } from './guide.ts';
import { documentationPage } from './page.ts';
import { inlineHtml, toHtml } from './prose.ts';

/** The guide for a newcomer, and below it the interface description, to be read and tried with Swagger UI. */
export function docsPage(settings: GuideSettings): string {
  const { basePath } = settings;
  const sections = guide(settings);
  const contents = [...sections, { id: 'reference', title: 'Every path, to be tried' }].map(
    ({ id, title }) => `<li><a href="#${id}">${title}</a></li>`,
  );
  const parts = sections.map(
    ({ id, title, text }) =>
      `<section id="${id}" class="prose">\n<h2>${title}</h2>\n${toHtml(text, `Example: ${title}`)}\n</section>`,
  );
  const assets = `${basePath}/docs/static`;
  return documentationPage(basePath, {
    title: 'Quotient: docs',
    here: 'docs',
    head: `<link rel="stylesheet" href="${assets}/swagger-ui.css">
<script src="${assets}/swagger-ui-bundle.js" defer></script>
<script src="${assets}/docs.js" defer></script>
`,
    main: `<h1>${SLOGAN}</h1>
<p>${inlineHtml(`${SUMMARY} ${ATTRIBUTION}`)}</p>
<p>To look rather than read, open <a href="${basePath}/">the console</a>. For machines there are
<a href="${basePath}/openapi.json">openapi.json</a> and the short <a href="${basePath}/llms.txt">llms.txt</a>.</p>
<nav class="contents" aria-label="On this page">
<ul>
${contents.join('\n')}
</ul>
</nav>
<noscript><p>In the examples <code>${EXAMPLE_ORIGIN}</code> stands for the origin of this service.</p></noscript>
${parts.join('\n')}
<section id="reference">
<div class="prose">
<h2>Every path, to be tried</h2>
<p>“Authorize” takes your key, and “Try it out” calls this very service with it: the calls are charged like any other. This page
forgets the key when you leave it.</p>
<noscript><p>It is drawn by a script. The same is in <a href="${basePath}/openapi.json">openapi.json</a>.</p></noscript>
</div>
<div id="swagger-ui" data-description="${basePath}/openapi.json" data-example-origin="${EXAMPLE_ORIGIN}"></div>
</section>`,
  });
}
