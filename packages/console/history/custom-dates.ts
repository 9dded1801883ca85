import { serviceNow } from '../../pages/clock.ts';
import { DAY, isoDate } from '../../pages/dates.ts';
import { byId, makeButton } from '../../pages/dom.ts';
import { openFaults } from '../../pages/faults.ts';
import { onDate } from '../../pages/format.ts';

/** Uses the browser's date fields, which follow the user's own date order. */
export function openCustomDates(onApply: (range: DateRange) => void) {
  const form = byId('dates', HTMLFormElement);
  const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  const from = field('from');
  const thru = field('thru');
  const faults = openFaults(form);
  let limit = { first: '', subject: '' };

  function set(range: DateRange): void {
    faults.clear();
    [from.value, thru.value] = [range.from, range.thru];
  }

  function limitFault({ value, min, max }: HTMLInputElement): string {
    if (value !== '' && value < min) return `${limit.subject} are available from ${onDate(new Date(limit.first))}.`;
    return value !== '' && value > max ? 'This date is in the future.' : '';
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const isReversed = from.value !== '' && thru.value !== '' && from.value > thru.value;
    from.setCustomValidity(limitFault(from));
    thru.setCustomValidity(limitFault(thru) || (isReversed ? 'The end date is before the start date.' : ''));
    if (faults.check()) onApply({ from: from.value, thru: thru.value });
  });

  return {
    show(isShown: boolean): void {
      form.hidden = !isShown;
    },
    focus: () => from.focus(),
    set,

    /** Limits the dates to those for which `subject` (such as `Prices`) are available. */
    limit(first: string, subject: string): void {
      limit = { first, subject };
      const now = serviceNow();
      const today = isoDate(now);
      for (const input of [from, thru]) [input.min, input.max] = [first, today];
      from.value ||= isoDate(now - 14 * DAY);
      thru.value ||= today;
      const buttons = datePresets(first, now).map(([label, range]) =>
        makeButton(
          label,
          () => {
            set(range);
            onApply(range);
          },
          'small',
        ),
      );
      byId('date-presets').replaceChildren(...buttons);
    },
  };
}

export type DateRange = { from: string; thru: string };

const dateOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Returns preset UTC date ranges, limited to the dates from `first` (YYYY-MM-DD) to today, without empty ranges. */
export function datePresets(first: string, now: number): [label: string, range: DateRange][] {
  const today = new Date(now);
  const year = today.getUTCFullYear();
  const month = today.getUTCMonth();
  const day = today.getUTCDate();
  const spans: [string, string, string][] = [
    ['Yesterday', dateOf(year, month, day - 1), dateOf(year, month, day - 1)],
    ['This month', dateOf(year, month, 1), dateOf(year, month + 1, 0)],
    ['Last month', dateOf(year, month - 1, 1), dateOf(year, month, 0)],
    ['This year', dateOf(year, 0, 1), dateOf(year, 11, 31)],
    ['Last year', dateOf(year - 1, 0, 1), dateOf(year - 1, 11, 31)],
  ];
  const last = dateOf(year, month, day);
  return spans
    .map(([label, from, thru]): [string, DateRange] => [
      label,
      { from: from < first ? first : from, thru: thru > last ? last : thru },
    ])
    .filter(([, { from, thru }]) => from <= thru);
}
