import { existsSync } from 'node:fs';

/** Debian's paths, with the windowless build first, which takes half the time. */
const USUAL_PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The path of Chromium: `CHROMIUM_PATH`, or one of Debian's paths; undefined if it is not installed. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  return (CHROMIUM_PATH ? [CHROMIUM_PATH] : USUAL_PLACES).find((path) => existsSync(path));
}
