import { signal } from '@preact/signals';
import { serviceNow } from '../../pages/clock.ts';
import { ageText, type DataAge, isOld } from '../api/api-call.ts';

const UPDATE_MS = 10_000;
const updates = signal(0);
setInterval(() => {
  updates.value += 1;
}, UPDATE_MS);

type AgeProps = {
  of: DataAge | undefined;
  /** The age that the page already shows. The same age is not shown again. */
  unless?: DataAge | undefined;
};

/** The age of data, kept up to date, and the reason for a failed update. */
export function Age({ of, unless }: AgeProps) {
  // Reading the signal renders the age again.
  void updates.value;
  const text = of && ageText(of, serviceNow());
  const isRepeated = of && unless && !isOld(of) && text === ageText(unless, serviceNow());
  return <p class={of && isOld(of) ? 'age stale' : 'age'}>{!isRepeated && text}</p>;
}
