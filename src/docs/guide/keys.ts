import { PLAN_NAMES, termInWords } from '#accounts/ledger/plan';
import { fenced, type GuideSettings } from './rules.ts';

export function gettingKey(base: string, { registration, registrationsPerMinute }: GuideSettings): string {
  if (registration === 'closed') return 'Registration is closed on this service. Ask the operator for a key.';
  const pace =
    registrationsPerMinute > 0
      ? ` The limit is ${registrationsPerMinute} registrations per minute from one IP address.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  const mail =
    registration === 'verified'
      ? 'The response is 202, and you receive an email with a link. The link is valid for 24 hours. The key is created when you open the link.'
      : 'No email is sent.';
  const member =
    registration === 'verified'
      ? 'The link opens the console. The console sends the one-time code to `POST /v1/user/verify`. The member `apiKey` in the response to this call'
      : 'The member `apiKey` in the response';
  return `To register, call \`POST /v1/user/create\` with a name, an email address and a plan (${plans}). ${mail}${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

${member} is the key: \`qt_\` and 38 letters and digits. Save the key. It is shown only once, because the service stores only its hash. To replace the key, call \`POST /v1/user/rotate\`. The key expires at \`validUntil\`. To keep using it, [renew it](#renewal).

This key is the owner key. It can change and delete the account. Create a separate key for each web page or script. A separate key can only read prices (\`scopes=prices\`) or call the node (\`scopes=node\`). All your keys share one allowance:

\`\`\`sh
curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/keys?label=shop%20window&scopes=prices'
\`\`\`

A web page from another origin can call the service only if the operator has allowed that origin (CORS, \`CORS_ORIGINS\`). \
Before you use a key in a web page, ask the operator to allow its origin. Calls from servers and scripts need no permission.

\`GET /v1/user/keys\` lists your keys with the time of their last use. \`DELETE /v1/user/keys/{id}\` revokes a key.`;
}

export const leakedKey = (
  base: string,
  basePath: string,
) => `Replace the owner key with \`POST /v1/user/rotate\`, or with "Replace key…" in the account menu of \
[the console](${basePath}/). With \`graceSeconds=0\` ("immediately" in the console), the old key is revoked immediately. By default, it can read data for five more minutes. The new key has the same usage, plan and expiry date. Your other keys remain valid.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/rotate?graceSeconds=0'`)}

The response contains the new key. Save the key, because it is shown only once. To revoke a key that you created with \`POST /v1/user/keys\`, send \`DELETE /v1/user/keys/{id}\`. \`GET /v1/user/keys\` returns the \`id\` and the time of the last use of each key. If you have lost the owner key, call \`POST /v1/user/recover\`. You receive an email with a link to a new key.`;

export const renewal = (
  base: string,
  basePath: string,
) => `A key on the ${PLAN_NAMES.map((plan) => `\`${plan}\` plan is valid for ${termInWords(plan)}`).join(', and a key on the ')}. It expires at \`validUntil\`. The response to the registration and \`GET /v1/user/usage\` contain this time. After \`validUntil\`, calls are rejected with 401 \`api_key_expired\`. To renew the key, send the call below with the owner key, or select "Renew…" in the Allowance panel of [the console](${basePath}/). The key stays the same. If the service sends email, it can warn you before the key expires. To receive the warning, confirm your address or turn on notices (\`PUT /v1/user/notices\`).

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/renew'`)}

* If at most one plan period is left until \`validUntil\`: the key is valid for one more period. The remaining calls of the current period do not change.
* If \`validUntil\` has passed: a new period with a full allowance starts immediately.
* If more than one plan period is left until \`validUntil\`: the response is 409 \`renew_too_early\`.

The renewal applies to all your keys, except keys with their own \`expiresAt\`. The \`Link\` header in the response to a registration links to this section and to the renewal call.`;

export const account = (
  base: string,
  basePath: string,
) => `[The console](${basePath}/) shows your usage and your keys. In the account menu, you can renew the key, delete the account or sign out. "Sign out" removes the key from the browser. The key remains valid.

You can also delete the account with the call below. The call revokes all your keys and erases your name and email address. This cannot be undone.

${fenced('sh', `curl -X DELETE -H "X-API-KEY: $KEY" '${base}/v1/user'`)}`;
