import type { Token } from '../../client/index.ts';
import type { Interval } from '../api/api-call.ts';
import { buttonGroup, byId } from '../core/dom.ts';
import { INTERVALS, intervalFor, possibleIntervals } from '../range/intervals.ts';
import type { HistoryView } from './chart-choice.ts';

/** The buttons for the interval of a view: those that its range and token allow. */
export function openIntervalControl(view: HistoryView, onChosen: () => void) {
  /** The interval that the user chose, where that is not the default. */
  let chosen: Interval | undefined;
  const buttons = buttonGroup(byId('intervals'), INTERVALS, (interval) => {
    chosen = interval;
    onChosen();
  });

  return {
    choose(interval: Interval | undefined): void {
      chosen = interval;
    },
    /** Sets the interval of the view, and shows which others it can have. */
    show(token: Token, now: number): void {
      view.interval = intervalFor(view, chosen, token, now);
      const possible = possibleIntervals(view, token, now);
      buttons.enable((interval) => possible.includes(interval));
      buttons.select(view.interval);
    },
  };
}
