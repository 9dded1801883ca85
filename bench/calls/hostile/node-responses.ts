const ADDRESS = 'cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a';
const hashOf = (i: number) => i.toString(16).toUpperCase().padStart(64, '0');

/** A modern node's transaction with a given number of events. */
function transaction(i: number, events: number) {
  const message = {
    '@type': '/cosmos.bank.v1beta1.MsgSend',
    ...{ from_address: ADDRESS, to_address: ADDRESS, amount: [{ denom: 'uatom', amount: '1' }] },
  };
  const fee = { amount: [], gas_limit: '200000', payer: '', granter: '' };
  const tx = {
    body: { messages: [message], memo: '', timeout_height: '0', extension_options: [] },
    auth_info: { signer_infos: [], fee, tip: null },
    signatures: [],
  };
  const attributes = ['recipient', 'sender'].map((key) => ({ key, value: ADDRESS, index: true }));
  const event = { type: 'transfer', attributes };
  const response = {
    ...{ height: '5', txhash: hashOf(i), codespace: '', code: 0, data: '', raw_log: '', logs: [], info: '' },
    ...{ gas_wanted: '1', gas_used: '1', timestamp: '2026-11-20T00:00:00Z' },
    tx: { '@type': '/cosmos.tx.v1beta1.Tx', ...tx },
    events: Array(events).fill(event),
  };
  return { tx, response };
}

/** A modern node's response to a search: a hundred transactions, with enough events for the given size in bytes. */
export function searchResponse(bytes: number): string {
  const page = (events: number) => {
    const found = Array.from({ length: 100 }, (_, i) => transaction(i + 1, events));
    return JSON.stringify({
      txs: found.map(({ tx }) => tx),
      tx_responses: found.map(({ response }) => response),
      pagination: null,
      total: '100',
    });
  };
  const [one, two] = [page(1).length, page(2).length];
  return page(1 + Math.floor((bytes - one) / (two - one)));
}
