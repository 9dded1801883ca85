import { existsSync } from 'node:fs';

/** Where Debian installs it. */
const USUAL_PLACE = '/usr/bin/chromium';

/** The path of a Chromium: `CHROMIUM_PATH`, or where it is installed as a rule; undefined where there is none. */
export function findChromium(): string | undefined {
  const path = process.env.CHROMIUM_PATH || USUAL_PLACE;
  return existsSync(path) ? path : undefined;
}
