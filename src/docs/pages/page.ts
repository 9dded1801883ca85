import { footerHtml, type Here, headerHtml } from './page-frame.ts';

type Page = {
  title: string;
  /** Which of the links at the top leads to this very page, if one does. */
  here?: Here;
  main: string;
  /** What the head has beside the title and what all pages load. */
  head?: string;
};

/** Where the files are that the pages load. */
export const assetsOf = (basePath: string) => `${basePath}/docs/static`;

/** A page: what all of them have around what each has to say. */
export function htmlPage(basePath: string, { title, here, main, head = '' }: Page): string {
  const assets = assetsOf(basePath);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assets}/icon.svg">
<link rel="stylesheet" href="${assets}/page.css">
<script src="${assets}/theme.js"></script>
${head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
${headerHtml(`${basePath}/`, here)}
</header>
<main id="content" class="prose" tabindex="-1">
${main}
</main>
<footer>
${footerHtml(`${basePath}/`)}
</footer>
</body>
</html>
`;
}
