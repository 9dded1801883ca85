/** How long a saved file stays in memory, in ms. Some browsers read the file only after the click has been handled. */
const KEPT_MS = 10_000;

/** Saves content as a file on the user's device. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
