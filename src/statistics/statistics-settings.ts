import type { z } from 'zod';
import { baseUrl, httpUrl, listOf, type Parsed, type SettingFault, upstreamKey } from '#core/forms/setting-forms';
import { isMempool, keyedUrls, sourceOrder } from './statistics-sources.ts';

/** The sources share one deadline, so the number of URLs is limited. */
const upToEight = (url: z.ZodType<string, string>) =>
  listOf(url).refine((urls) => urls.length <= 8, 'must contain at most 8 URLs');

const chainUrl = baseUrl.refine(
  (text) => !/\/(stats|info)$/.test(text),
  'must not end in /stats or /info, because the service appends the path',
);

const bitcoinUrl = chainUrl.refine(
  (text) => isMempool(text) || !URL.parse(text)?.host.includes('mempool'),
  'must end in /api for a mempool server, as in https://mempool.space/api',
);

export const statisticsVariables = {
  CRYPTOCOMPARE_URL: httpUrl.default('https://min-api.cryptocompare.com'),
  CRYPTOCOMPARE_API_KEY: upstreamKey.optional(),
  SOLANA_RPC_URL: upToEight(httpUrl).default([
    'https://api.mainnet-beta.solana.com',
    'https://solana-rpc.publicnode.com',
  ]),
  ARWEAVE_URL: upToEight(chainUrl).default(['https://arweave.net', 'https://turbo-gateway.com']),
  BITCOIN_STATS_URL: upToEight(bitcoinUrl).default(['https://blockchain.info', 'https://mempool.space/api']),
  ETHEREUM_STATS_URL: upToEight(chainUrl).default([
    'https://eth.blockscout.com/api/v2',
    'https://api.blockscout.com/1/api/v2',
  ]),
  ETHEREUM_STATS_API_KEY: upstreamKey.optional(),
};

type Environment = Parsed<typeof statisticsVariables>;

export function statisticsFaults(env: Environment): SettingFault[] {
  if (env.ETHEREUM_STATS_API_KEY === undefined || keyedUrls(env.ETHEREUM_STATS_URL).length > 0) return [];
  const message =
    'is set, but ETHEREUM_STATS_URL is not: set ETHEREUM_STATS_URL to a URL such as https://api.blockscout.com/1/api/v2';
  return [['ETHEREUM_STATS_API_KEY', message]];
}

export const statisticsSettings = (env: Environment) => ({
  statistics: sourceOrder({
    cryptocompare: { url: env.CRYPTOCOMPARE_URL, apiKey: env.CRYPTOCOMPARE_API_KEY },
    bitcoin: env.BITCOIN_STATS_URL,
    ethereum: env.ETHEREUM_STATS_URL,
    ethereumKey: env.ETHEREUM_STATS_API_KEY,
    solana: env.SOLANA_RPC_URL,
    arweave: env.ARWEAVE_URL,
  }),
});

export type StatisticsSettings = ReturnType<typeof statisticsSettings>;
