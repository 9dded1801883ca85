import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** The chart panel, as users reach it. */
export function chartOn(page: Page) {
  const panel = page.getByRole('region', { name: / history$/ });
  const slider = panel.getByRole('slider');
  const group = (name: string) => panel.getByRole('group', { name, exact: true });
  const button = (name: string) => panel.getByRole('button', { name, exact: true });
  const names = { min: 'aria-valuemin', max: 'aria-valuemax', now: 'aria-valuenow' };
  return {
    panel,
    slider,
    group,
    button,
    /** The values of the selected point. */
    spoken: () => slider.getAttribute('aria-valuetext'),
    /** The first and the last visible point, and the selected one. */
    points: () =>
      slider.evaluate((element, all) => all.map((name) => Number(element.getAttribute(name))), Object.values(names)),
    pressed: (name: string) => group(name).getByRole('button', { pressed: true }).innerText(),
    offered: (name: string) => group(name).getByRole('button', { disabled: false }).allInnerTexts(),
    /** The vertical distance of the plot from the top of the panel, in px. */
    async plotTop(): Promise<number> {
      const [outer, inner] = await Promise.all([panel, panel.locator('.chart')].map((one) => one.boundingBox()));
      return (inner?.y ?? 0) - (outer?.y ?? 0);
    },
    async savedCsv(): Promise<[name: string, lines: string[]]> {
      const [file] = await Promise.all([page.waitForEvent('download'), button('Download CSV').click()]);
      return [file.suggestedFilename(), (await readFile(await file.path(), 'utf8')).split('\r\n')];
    },
  };
}
