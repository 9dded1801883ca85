/** The tolerated difference in ms, because a cache may have stored the response for some minutes. */
const TOLERANCE = 600_000;

let ahead = 0;

/** The service's time in Unix ms. The browser's clock may be wrong by hours or years. */
export const serviceNow = (): number => Date.now() + ahead;

/** Sets the service's time to the date of a response. */
export function setServiceTime(date: Date | undefined): void {
  if (!date) return;
  const difference = date.getTime() - Date.now();
  ahead = Math.abs(difference) > TOLERANCE ? difference : 0;
}
