import { escapeHtml } from '#core/forms/record-fields';

export type Mail = { subject: string; text: string; html: string };

/** Parts must not contain client input: an attacker could enter another person's address and send text to it. */
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

/** Writes an email as text and HTML. Line breaks in the subject become spaces. */
export function writeMail(subject: string, parts: readonly MailPart[]): Mail {
  const html = parts.map(htmlOf).join('\n');
  return {
    subject: subject.replace(/\p{Cc}+/gu, ' '),
    text: `${parts.map(textOf).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en">\n<body style="font-family: sans-serif">\n${html}\n</body>\n</html>\n`,
  };
}

/** Formats an instant (Unix ms) to the minute: `2026-01-31 12:00 UTC`. */
export const inWords = (instant: number) => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
