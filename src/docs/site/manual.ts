import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { PLACEHOLDER, type ToPage } from '#docs/guide/guide';
import { type Section, sectionsOf, toHtml, withTargets } from '#docs/markdown';
import { EXAMPLE_ORIGIN } from '#docs/reference/code-samples';
import { addressOf, type Content, markdownAddressOf } from './page.ts';
import { TOPICS, type Topic, USER_TOPICS } from './topics.ts';

/** The build contains a copy of the Markdown files, because an installation does not need a checkout. */
const COPY = new URL('../manual/', import.meta.url);
const CHECKOUT = new URL('../../../', import.meta.url);
const ROOT = existsSync(COPY) ? COPY : CHECKOUT;

/** The origin in the Markdown files, which are also read in a checkout. */
const LOCAL = 'http://127.0.0.1:8080';

type Chapter = { topic: Topic; sections: Section[] };

async function chaptersOf(file: string): Promise<Chapter[]> {
  const chapters: Chapter[] = TOPICS.filter((candidate) => candidate.file === file).map((topic) => ({
    topic,
    sections: [],
  }));
  let current = chapters.find(({ topic }) => topic.from === undefined);
  for (const section of sectionsOf(await readFile(new URL(file, ROOT), 'utf8'))) {
    current = chapters.find(({ topic }) => topic.from === section.id) ?? current;
    current?.sections.push(section);
  }
  const empty = chapters.find(({ sections }) => sections.length === 0);
  if (empty) throw new Error(`${file}: no section ${empty.topic.from}`);
  return chapters;
}

/** Markdown as sections of HTML. The text before the first section is not in a section. */
export const sectionsHtml = (sections: readonly Pick<Section, 'id' | 'markdown'>[]) =>
  sections
    .map(({ id, markdown }) =>
      id ? `<section id="${id}" class="topic">\n${toHtml(markdown)}\n</section>` : toHtml(markdown),
    )
    .join('\n');

export const withPlaceholder = (markdown: string) =>
  markdown.includes(EXAMPLE_ORIGIN) ? `${PLACEHOLDER}\n\n${markdown}` : markdown;

/** The Markdown files of the repository as pages. Links between the files become links between the pages. */
export async function readManual(basePath: string) {
  const files = [...new Set(TOPICS.map(({ file }) => file))];
  const chapters = (await Promise.all(files.map(chaptersOf))).flat();
  const places = new Map<string, string>();
  for (const { topic, sections } of chapters) {
    if (topic.from === undefined) places.set(topic.file, topic.path);
    for (const anchor of sections.flatMap(({ anchors }) => anchors)) places.set(`${topic.file}#${anchor}`, topic.path);
  }

  /** Replaces the target of a link in a file. Undefined for a file that is not served, such as the changelog. */
  const targetIn = (file: string, to: ToPage) => (target: string) => {
    if (/^https?:/.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const other = path === '' ? file : posix.join(posix.dirname(file), path);
    const place = places.get(anchor === undefined ? other : `${other}#${anchor}`);
    return place === undefined ? undefined : to(place, anchor);
  };

  function textIn({ topic, sections }: Chapter, to: ToPage): Section[] {
    const target = targetIn(topic.file, to);
    const base = `${EXAMPLE_ORIGIN}${basePath}`;
    const here = (markdown: string) =>
      USER_TOPICS.includes(topic)
        ? markdown.replaceAll(`${EXAMPLE_ORIGIN}/v1`, `${base}/v1`).replaceAll(LOCAL, base)
        : markdown;
    return sections.map((section) => ({ ...section, markdown: here(withTargets(section.markdown, target)) }));
  }

  return (topic: Topic): Content => {
    const chapter = chapters.find((candidate) => candidate.topic === topic) as Chapter;
    const markdown = textIn(chapter, toMarkdown(basePath)).map((section) => section.markdown);
    return {
      html: sectionsHtml(textIn(chapter, toHtmlPage(basePath))),
      markdown: withPlaceholder(markdown.join('').trim()),
    };
  };
}

const withSection = (address: string, section?: string) => (section ? `${address}#${section}` : address);

export const toHtmlPage =
  (basePath: string): ToPage =>
  (path, section) =>
    withSection(addressOf(basePath, path), section);

export const toMarkdown =
  (basePath: string): ToPage =>
  (path, section) =>
    withSection(markdownAddressOf(basePath, path), section);
