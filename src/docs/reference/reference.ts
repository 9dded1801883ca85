import { type ProblemCode, problemKind } from '#core/problems';
import { escapeHtml } from '#core/record-fields';
import { inlineCodeHtml as code, inlineHtml } from '#docs/markdown';
import { type Document, type Entry, entriesOf, sharedOf } from './document.ts';
import { methodHtml, operationHtml, type Place, parametersHtml } from './operation-html.ts';

type Link = { id: string; html: string };
export type Part = { title: string; links: Link[]; html: string };
const titled = (name: string) => `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;

function headersHtml({ components: { headers = {} } }: Document): string {
  const rows = Object.entries(headers)
    // An optional header is documented with its required variant.
    .filter(([name]) => !name.endsWith('.optional') || !(name.replace('.optional', '') in headers))
    .map(([name, { description, example }]) => {
      const plain = name.replace('.optional', '');
      return `<tr id="header-${plain}"><th scope="row">${code(plain)}</th><td><p>${inlineHtml(description)}</p>\
<p class="soft">for example ${code(String(example))}</p></td></tr>`;
    });
  return `<table class="fields"><tbody>${rows.join('\n')}</tbody></table>`;
}

function codesHtml(codes: readonly string[], basePath: string): string {
  const items = codes.map(
    (one) =>
      `<li>${problemKind(one as ProblemCode).status} <a href="${basePath}/docs/problems#${one}">${code(one)}</a></li>`,
  );
  return `<ul class="codes">${items.join('')}</ul>`;
}

function sharedPart(document: Document, { basePath, shared, ...place }: Place): Part {
  const { everywhere, withKey, priced } = shared.codes;
  const sections = [
    {
      id: 'shared-problems',
      title: 'Problems of all paths',
      html: `<p>Any path can return:</p>${codesHtml(everywhere, basePath)}
<p>Paths that require a key can also return:</p>${codesHtml(withKey, basePath)}
<p>Paths that cost calls can also return:</p>${codesHtml(priced, basePath)}`,
    },
    {
      id: 'shared-headers',
      title: 'Response headers',
      html: `<p>Responses of endpoints that cost calls contain <code>RateLimit</code> and the age of the data. Each operation lists its additional
headers.</p>${headersHtml(document)}`,
    },
    ...(shared.parameters.length > 0
      ? [
          {
            id: 'shared-parameters',
            title: 'Parameters of several paths',
            html: parametersHtml(shared.parameters, { basePath, shared, ...place }, true),
          },
        ]
      : []),
  ];
  return {
    title: 'All paths',
    links: sections.map(({ id, title }) => ({ id, html: title })),
    html: sections
      .map(({ id, title, html }) => `<section id="${id}">\n<h3>${title}</h3>\n${html}\n</section>`)
      .join('\n'),
  };
}

const linkOf = ({ id, method, path, title }: Entry): Link => ({
  id: escapeHtml(id),
  html: `<span class="name">${inlineHtml(title)}</span><span class="path">${methodHtml(method)} ${escapeHtml(path).replaceAll('/', '/<wbr>')}</span>`,
});

export function referenceParts(document: Document, basePath: string): Part[] {
  const entries = entriesOf(document);
  const place = { basePath, named: document.components.schemas, shared: sharedOf(entries) };
  const tags = document.tags.map(({ name, description }): Part => {
    const own = entries.filter(({ tag }) => tag === name);
    return {
      title: titled(name),
      links: own.map(linkOf),
      html: `<p>${inlineHtml(description)}.</p>\n${own.map((entry) => operationHtml(entry, place)).join('\n')}`,
    };
  });
  return [sharedPart(document, place), ...tags.filter(({ links }) => links.length > 0)];
}
