import { make } from './dom.ts';

/** How long a saved file stays in memory, in ms. Some browsers read it only after the click. */
const KEPT_MS = 10_000;

/** Saves content as a file on the user's device. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  make('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
