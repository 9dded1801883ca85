import { type ProblemCode, problemKind } from '#core/problems';
import { inlineCodeHtml as code, inlineHtml } from '#docs/markdown';
import type { Document } from '#docs/openapi/schemas';
import { type Entry, entriesOf, sharedOf } from './document.ts';
import { operationHtml, type Place, parametersHtml } from './operation-html.ts';
import { operationMarkdown, parametersMarkdown } from './operation-markdown.ts';

type Header = { name: string; description: string; example: unknown };

function headersOf({ components: { headers = {} } }: Document): Header[] {
  return (
    Object.entries(headers)
      // An optional header is documented together with its required variant.
      .filter(([name]) => !name.endsWith('.optional') || !(name.replace('.optional', '') in headers))
      .map(([name, { description, example }]) => ({ name: name.replace('.optional', ''), description, example }))
  );
}

const headerRow = ({ name, description, example }: Header) =>
  `<tr id="header-${name}"><th scope="row">${code(name)}</th><td><p>${inlineHtml(description)}</p>\
<p class="soft">for example ${code(String(example))}</p></td></tr>`;

const listsOf = ({ shared: { codes } }: Place): [title: string, codes: readonly string[]][] => [
  ['Any path can return:', codes.everywhere],
  ['Paths that require a key can also return:', codes.withKey],
  ['Paths that cost calls can also return:', codes.priced],
];

const problemOf = (one: string) => ({ one, status: problemKind(one as ProblemCode).status });

function codesHtml(codes: readonly string[], basePath: string): string {
  const items = codes
    .map(problemOf)
    .map(({ one, status }) => `<li>${status} <a href="${basePath}/docs/problems#${one}">${code(one)}</a></li>`);
  return `<ul class="codes">${items.join('')}</ul>`;
}

const HEADERS =
  'Responses of endpoints that cost calls contain `RateLimit` and the age of the data. Each operation lists its additional headers.';

type Section = { id: string; title: string; html: string; markdown: string };

function sharedSections(document: Document, place: Place): Section[] {
  const { basePath, shared } = place;
  const lists = listsOf(place);
  const headers = headersOf(document);
  return [
    {
      id: 'shared-problems',
      title: 'Problems of all paths',
      html: lists.map(([title, codes]) => `<p>${title}</p>${codesHtml(codes, basePath)}`).join('\n'),
      markdown: lists
        .map(([title, codes]) => {
          const items = codes.map(problemOf).map(({ one, status }) => `- ${status} \`${one}\``);
          return `${title}\n\n${items.join('\n')}`;
        })
        .join('\n\n'),
    },
    {
      id: 'shared-headers',
      title: 'Response headers',
      html: `<p>${inlineHtml(HEADERS)}</p>
<table class="fields"><tbody>${headers.map(headerRow).join('\n')}</tbody></table>`,
      markdown: `${HEADERS}\n\n${headers
        .map(({ name, description, example }) => `- \`${name}\`: ${description} For example, \`${example}\`.`)
        .join('\n')}`,
    },
    {
      id: 'shared-parameters',
      title: 'Parameters of several paths',
      html: parametersHtml(shared.parameters, place, true),
      markdown: parametersMarkdown(shared.parameters, place),
    },
  ];
}

const sectionHtml = ({ id, title, html }: Section) =>
  `<section id="${id}" class="topic">\n<h2><a href="#${id}">${title}</a></h2>\n${html}\n</section>`;

export function openReference(document: Document, basePath: string) {
  const entries: readonly Entry[] = entriesOf(document);
  const common = `${basePath}/docs/reference`;
  const place: Place = { basePath, common, named: document.components.schemas, shared: sharedOf(entries) };
  const sections = sharedSections(document, place);

  return {
    entries,
    common: () => ({
      html: sections.map(sectionHtml).join('\n'),
      markdown: sections.map(({ title, markdown }) => `## ${title}\n\n${markdown}`).join('\n\n'),
    }),
    group(tag: string) {
      const own = entries.filter((entry) => entry.tag === tag);
      return {
        html: own.map((entry) => operationHtml(entry, place)).join('\n'),
        markdown: own.map((entry) => operationMarkdown(entry, place)).join('\n\n'),
      };
    },
  };
}

export type Reference = ReturnType<typeof openReference>;
