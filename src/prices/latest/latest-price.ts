import type { TokenName } from '#catalogue/token';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { ToldLatest } from '#prices/archive/latest-prices';
import { DOLLAR } from '#prices/model/currency';
import type { Answer } from '#server/cache/answer';
import type { LatestAnswers } from './latest-answer.ts';
import { versionOf } from './latest-sources.ts';

type Row = { told: ToldLatest | undefined };

const versionOfAll = (rows: readonly Row[]): string => rows.map(({ told }) => told && versionOf(told)).join();
const write = ([row]: readonly Row[]): string => JSON.stringify(row?.told?.record);

type Dependencies = { archive: Pick<ArchiveCache, 'latest'>; latestAnswer: LatestAnswers };

/** The latest price record of a token, in dollars or in another currency. */
export function createLatestPrice({ archive, latestAnswer }: Dependencies) {
  return function latestPrice(token: TokenName, currency = DOLLAR): Answer | Promise<Answer> {
    const question = currency === DOLLAR ? token : `${token},${currency}`;
    const read = (): Row[] => [{ told: archive.latest(token) }];
    return latestAnswer({ question, tokens: [token], read, versionOf: versionOfAll, write }, currency);
  };
}
