import { PROBLEM_CODES, problemKind } from '../problems.ts';
import { ADVICE } from './problem-advice.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; }
section { border-top: 1px solid #ddd; padding: .25rem 0; }
section:target { background: #fff8d6; }`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML; what is between backquotes becomes code. */
const toHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '').replace(/`([^`]+)`/g, '<code>$1</code>');

/** The page that the `type` of every problem leads to: a section for each code, by its name. */
export function problemPage(basePath: string): string {
  const sections = PROBLEM_CODES.map((code) => {
    const { status, title } = problemKind(code);
    return `<section id="${code}">
<h2><code>${code}</code></h2>
<p>${status} · ${toHtml(title)}</p>
<p>${toHtml(ADVICE[code])}</p>
</section>`;
  });
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quotient: problems</title>
<link rel="icon" href="${basePath}/docs/static/favicon-32x32.png">
<style>${STYLE}</style>
</head>
<body>
<h1>Problems</h1>
<p>What goes wrong is told as <code>application/problem+json</code> (RFC 9457), with one of these in the member
<code>code</code>. See also the <a href="${basePath}/docs">interface description</a>.</p>
${sections.join('\n')}
</body>
</html>
`;
}
