import { ATTRIBUTION } from '#http/docs/guide';
import { inlineHtml } from '#http/docs/markdown';

type Page = {
  title: string;
  /** Which of the links at the top leads to this very page. */
  here: 'docs' | 'problems';
  main: string;
  /** What the head has beside the title and our own style sheet. */
  head?: string;
};

/** A page: what all of them have around what each has to say. */
export function htmlPage(basePath: string, { title, here, main, head = '' }: Page): string {
  const links = [
    [`${basePath}/`, 'Console'],
    [`${basePath}/docs`, 'Docs', 'docs'],
    [`${basePath}/docs/problems`, 'Problems', 'problems'],
    [`${basePath}/openapi.json`, 'openapi.json'],
    [`${basePath}/llms.txt`, 'llms.txt'],
  ].map(
    ([href, text, page]) => `<a href="${href}"${page === here ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${basePath}/docs/static/icon.svg">
${head}<link rel="stylesheet" href="${basePath}/docs/static/docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${basePath}/"><img src="${basePath}/docs/static/icon.svg" alt="" width="24" height="24">Quotient</a>
<nav class="pages" aria-label="Pages">
${links.join('\n')}
</nav>
</header>
<main id="content" class="prose">
${main}
</main>
<footer>${inlineHtml(ATTRIBUTION)}</footer>
</body>
</html>
`;
}
