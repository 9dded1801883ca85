import { assetsOf, htmlPage } from '#http/pages/page';
import { ATTRIBUTION, EXAMPLE_ORIGIN, type GuideSettings, guide, SLOGAN, SUMMARY } from './guide.ts';
import { inlineHtml, toHtml } from './markdown.ts';

/** The guide for a newcomer, and below it the interface description, to be read and tried with Swagger UI. */
export function docsPage(settings: GuideSettings): string {
  const { basePath } = settings;
  const sections = guide(settings);
  const contents = [...sections, { id: 'reference', title: 'All paths' }].map(
    ({ id, title }) => `<li><a href="#${id}">${title}</a></li>`,
  );
  const parts = sections.map(
    ({ id, title, text }) =>
      `<section id="${id}" class="prose">\n<h2>${title}</h2>\n${toHtml(text, `Example: ${title}`)}\n</section>`,
  );
  const assets = assetsOf(basePath);
  return htmlPage(basePath, {
    title: 'Quotient: docs',
    here: 'docs',
    head: `<link rel="stylesheet" href="${assets}/docs.css">
<link rel="stylesheet" href="${assets}/swagger-ui.css">
<script src="${assets}/swagger-ui-bundle.js" defer></script>
<script src="${assets}/docs.js" defer></script>
`,
    main: `<h1>${SLOGAN}</h1>
<p>${inlineHtml(`${SUMMARY} ${ATTRIBUTION}`)}</p>
<p>To explore the data, open <a href="${basePath}/">the console</a>. For programs there are
<a href="${basePath}/openapi.json">openapi.json</a> and the short <a href="${basePath}/llms.txt">llms.txt</a>.</p>
<nav class="contents" aria-label="On this page">
<ul>
${contents.join('\n')}
</ul>
</nav>
<noscript><p>In the examples, replace <code>${EXAMPLE_ORIGIN}</code> by the origin of this service.</p></noscript>
${parts.join('\n')}
<section id="reference">
<div class="prose">
<h2>All paths</h2>
<p>Enter your key with “Authorize”, then call this service with “Try it out”. These calls are charged like any other. The page
forgets the key when you leave.</p>
<noscript><p>This part needs JavaScript. The same content is in <a href="${basePath}/openapi.json">openapi.json</a>.</p></noscript>
</div>
<div id="swagger-ui" data-description="${basePath}/openapi.json" data-example-origin="${EXAMPLE_ORIGIN}"></div>
</section>`,
  });
}
