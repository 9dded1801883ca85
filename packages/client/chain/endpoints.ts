import { invalid, rejectSecretMembers } from '../error.ts';
import { checkKey, readBaseUrl } from '../transport/options.ts';

/** An endpoint in the form that CosmJS, InterchainJS and other libraries accept. */
export type NodeEndpoint = { url: string; headers: Record<string, string> };

/** `baseUrl` is the URL of the service. The key needs the scope `node`. */
export type EndpointOptions = { baseUrl: string | URL; apiKey: string };

/** A key that was created for URLs. Libraries that send no headers need such a key. */
const URL_KEY = /^qu_/;

function endpoint(options: EndpointOptions, path: string): NodeEndpoint {
  rejectSecretMembers('options', options);
  const { baseUrl, apiKey } = options;
  if (apiKey === undefined) throw invalid('the API key is missing; pass a key with the scope node');
  checkKey(apiKey);
  const base = readBaseUrl(baseUrl);
  if (URL_KEY.test(apiKey)) return { url: `${base}/k/${apiKey}${path}`, headers: {} };
  return { url: `${base}${path}`, headers: { 'X-API-KEY': apiKey } };
}

/**
 * The JSON-RPC endpoint of a service, for CosmJS, InterchainJS and other libraries that speak CometBFT's interface. With a
 * URL key, the URL contains the key: treat the URL as a secret. Throws `QuotientError` for invalid options.
 */
export const rpcEndpoint = (options: EndpointOptions): NodeEndpoint => endpoint(options, '/v1/node/rpc');

/** The REST endpoint (gRPC gateway, LCD) of a service, like `rpcEndpoint`. */
export const restEndpoint = (options: EndpointOptions): NodeEndpoint => endpoint(options, '/v1/node/rest');
