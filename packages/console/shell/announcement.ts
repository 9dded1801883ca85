import { type ReadonlySignal, signal } from '@preact/signals';
import type { QuotientClient } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';

const READ_INTERVAL = 5 * 60_000;

/** The operator's message to all users until its end. If it cannot be read, the last one stays. */
export function openAnnouncement(client: QuotientClient): ReadonlySignal<string> {
  const announced = signal('');
  let ending: ReturnType<typeof setTimeout> | undefined;

  async function read(): Promise<void> {
    if (document.hidden) return;
    const { text, until } = await client.announcement();
    clearTimeout(ending);
    announced.value = text ?? '';
    const left = until === null ? Number.POSITIVE_INFINITY : until.getTime() - serviceNow();
    if (left > READ_INTERVAL) return;
    ending = setTimeout(() => {
      announced.value = '';
    }, left);
  }

  const attempt = () => void read().catch(() => undefined);
  attempt();
  setInterval(attempt, READ_INTERVAL);
  document.addEventListener('visibilitychange', attempt);
  return announced;
}
