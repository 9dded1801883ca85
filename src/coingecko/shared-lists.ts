import type { Catalogue } from '#catalogue/catalogue';
import type { CoinList } from '#catalogue/coin-list';
import { type Clock, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { type Body, bodyOf, longBodyOf } from '#server/responses/response-body';
import { platformRecord } from './platforms.ts';

/** How long all clients share a list, in ms. The lists are free, so that no allowance limits the number of requests. */
const KEPT_FOR = SECOND;
/** Longer lists are written in pieces. */
const LONG_LIST = 200;

export async function bodyOfList(list: readonly unknown[]): Promise<Body> {
  function* pieces() {
    let before = '[';
    for (const one of list) {
      yield before + JSON.stringify(one);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  }
  return list.length > LONG_LIST ? longBodyOf(pieces) : bodyOf([...pieces()].join(''));
}

type Dependencies = { catalogue: Pick<Catalogue, 'all' | 'generation'>; coinList: CoinList; clock: Clock };

/** The bodies of the long lists. Five thousand coins take half a megabyte. */
export function createSharedLists({ catalogue, coinList, clock }: Dependencies) {
  const shared = (records: () => Promise<readonly object[]>) =>
    memo(async () => bodyOfList(await records()), { ttl: KEPT_FOR, clock });

  const sorted = () => catalogue.all().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const coins = shared(async () => sorted().map(({ name: id, symbol, title: name }) => ({ id, symbol, name })));
  const withPlatforms = shared(async () => {
    await coinList.refresh().catch(() => undefined);
    const tokens = sorted();
    const known = await coinList.storedPlatforms(tokens.map(({ name }) => name));
    return tokens.map(({ name: id, symbol, title: name }) => ({ id, symbol, name, platforms: known.get(id) ?? {} }));
  });
  const platforms = shared(async () => (await coinList.platforms()).map(platformRecord));

  return {
    /** The served tokens by ID. */
    coins: (hasPlatforms: boolean): Promise<Body> => (hasPlatforms ? withPlatforms : coins)(catalogue.generation()),
    platforms: (): Promise<Body> => platforms(),
  };
}
