import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Valuation } from '#prices/currencies/valuation';
import { type Currency, DOLLAR } from '#prices/model/currency';
import type { Window } from '#prices/model/interval';
import type { DataResponse } from '#server/responses/response-body';
import type { CachedResponses } from '#server/responses/response-cache';
import type { Form } from './series-text.ts';
import type { WindowSize } from './window-reader.ts';

/** The rows of a window in a currency, and the response without its body. `version` identifies the rows. */
type ReadWindow<Columns> = {
  rows: { isWide: boolean; version: string | undefined; columns: () => Columns };
  response: Omit<DataResponse, 'body'>;
  valuation: Valuation | undefined;
};

type Dependencies<Columns, Name extends string, W extends Window> = {
  cachedResponses: CachedResponses;
  /** The window from one date through another, inclusive (Unix ms of their midnights), at the named interval. */
  windowOf: (interval: Name, from: number, thru: number, now: number) => W;
  size: (token: TokenName, window: W) => WindowSize;
  read: (token: TokenName, window: W, currency: Currency) => Promise<ReadWindow<Columns>>;
  clock: Clock;
};

type WindowRequest<Columns, W extends Window> = {
  token: TokenName;
  window: W;
  render: Form<Columns>['render'];
  currency: Currency;
};

/** The responses for windows of one kind of series: prices or candles. */
export function createWindowResponses<Columns, Name extends string, W extends Window>(
  dependencies: Dependencies<Columns, Name, W>,
) {
  const { cachedResponses, windowOf, size, read, clock } = dependencies;

  async function history(requestKey: string, request: WindowRequest<Columns, W>): Promise<DataResponse> {
    const { rows, response, valuation } = await read(request.token, request.window, request.currency);
    // Copied, because the rows may be replaced while a large body is written.
    const wide = rows.isWide ? rows.columns() : undefined;
    const pieces = () => request.render(wide ?? rows.columns(), valuation?.currency);
    return { body: await cachedResponses.bodyOfRows(requestKey, rows, pieces), ...response };
  }

  /** Requests with the same `about` and currency share the response. */
  function respond(
    about: readonly (string | number)[],
    request: WindowRequest<Columns, W>,
  ): DataResponse | Promise<DataResponse> {
    const requestKey = (request.currency === DOLLAR ? about : [...about, request.currency]).join();
    const isLong = () => size(request.token, request.window) !== 'short';
    return cachedResponses.respond(requestKey, isLong, () => history(requestKey, request));
  }

  return {
    respond,

    /** Returns the rows from one date through another, inclusive (Unix ms of their midnights), in a form. */
    rangeAs(
      { name, render }: Form<Columns>,
      token: TokenName,
      interval: Name,
      from: number,
      thru: number,
      currency = DOLLAR,
    ): DataResponse | Promise<DataResponse> {
      const window = windowOf(interval, from, thru, clock.now());
      return respond([token, interval, from, thru, name], { token, window, render, currency });
    },
  };
}
