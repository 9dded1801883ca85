/** A part of a path that may be shown to whoever asked for it: a word. What is longer or odd may be a secret. */
const WORD = /^[\w.~-]{1,32}$/;
/** Of more words, the rest is left out: twelve and more are a seed phrase. */
const WORDS = 5;

/** The path of a URL as a page may show it: short, and without what may be a secret. */
export function shownPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.split('/').slice(1);
  const shown = parts.slice(0, WORDS).map((part) => (part === '' || WORD.test(part) ? part : '…'));
  return `/${shown.join('/')}${parts.length > WORDS ? '/…' : ''}`;
}
