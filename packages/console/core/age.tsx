import { signal } from '@preact/signals';
import { serviceNow } from '../../pages/clock.ts';
import { ageText, type DataAge, isOld } from '../api/api-call.ts';

const UPDATE_MS = 10_000;
const updates = signal(0);
setInterval(() => {
  updates.value += 1;
}, UPDATE_MS);

/** The age of data, kept up to date, and the reason for a failed update. */
export function Age({ of }: { of: DataAge | undefined }) {
  // Reading the signal renders the age again.
  void updates.value;
  return <p class={of && isOld(of) ? 'age stale' : 'age'}>{of && ageText(of, serviceNow())}</p>;
}
