import { escapeHtml } from '#core/html';
import type { Mail } from '#notifications/sources/smtp';

/**
 * A part of a mail: a paragraph, a link under words of its own, or text to be copied as it stands. Nothing that a caller
 * chose belongs in one: whoever types in a stranger's address could write to the stranger.
 */
export type MailPart = string | { link: string; words: string } | { code: string };

function textOf(part: MailPart): string {
  if (typeof part === 'string') return part;
  return 'link' in part ? `${part.words}:\n${part.link}` : `  ${part.code}`;
}

function htmlOf(part: MailPart): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
  if ('code' in part) return `<pre style="white-space: pre-wrap">${escapeHtml(part.code)}</pre>`;
  return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.words)}</a></p>`;
}

/** Writes a mail of these parts. The subject is one line, whatever it is made of. */
export function writeMail(subject: string, parts: readonly MailPart[]): Mail {
  const html = parts.map(htmlOf).join('\n');
  return {
    subject: subject.replace(/\p{Cc}+/gu, ' '),
    text: `${parts.map(textOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif">\n${html}\n</body>\n</html>\n`,
  };
}

/** An instant (Unix ms) as people read it, to the minute: `2026-01-31 12:00 UTC`. */
export const inWords = (instant: number) =>
  `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The call that does what a link does, for whoever has no browser; `path` begins with a slash. */
export const curl = (publicUrl: string, path: string, body: object) =>
  `curl -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${publicUrl}${path}`;
