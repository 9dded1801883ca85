import { existsSync } from 'node:fs';

/** Where Debian installs them: the one without windows first, which takes half the time. */
const USUAL_PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The path of a Chromium: `CHROMIUM_PATH`, or where it is installed as a rule; undefined where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  return (CHROMIUM_PATH ? [CHROMIUM_PATH] : USUAL_PLACES).find((path) => existsSync(path));
}
