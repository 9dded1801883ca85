import { PLAN_NAMES, termInWords } from '#accounts/ledger/plan';
import { fenced, type GuideSettings } from './rules.ts';

export function gettingKey(base: string, { registration, registrationsPerMinute }: GuideSettings): string {
  if (registration === 'closed') return 'Registration is closed on this service: ask the operator for a key.';
  const pace =
    registrationsPerMinute > 0
      ? ` At most ${registrationsPerMinute} registrations a minute are accepted from one IP address.`
      : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  const mail =
    registration === 'verified'
      ? 'The response is 202, and the address receives an email with a link that is valid for 24 hours. The key is created when you open the link.'
      : 'No email is sent.';
  const member =
    registration === 'verified'
      ? 'The link opens the console, which sends the one-time code to `POST /v1/user/verify`. The member `apiKey` of that response'
      : 'The member `apiKey` of the response';
  return `Register with a name, an email address and a plan (${plans}): \`POST /v1/user/create\`. ${mail}${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

${member} is the key: \`qt_\` and 38 letters and digits. Save it. It is shown only once, because the service \
stores only its hash. \`POST /v1/user/rotate\` replaces it. The key expires at \`validUntil\`; [renew it](#renewal) to keep it.

This key is the owner key, which can change and delete the account. Create a separate key for each web page or script. \
Such a key can only read prices (\`scopes=prices\`) or call the node (\`scopes=node\`), and shares your allowance:

\`\`\`sh
curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/keys?label=shop%20window&scopes=prices'
\`\`\`

A web page from another origin can call the service only if the operator has allowed that origin (CORS, \`CORS_ORIGINS\`). \
Contact the operator before you use a key in a web page. Servers and scripts are not affected.

\`GET /v1/user/keys\` lists your keys with the time of their last use. \`DELETE /v1/user/keys/{id}\` revokes a key.`;
}

export const leakedKey = (
  base: string,
  basePath: string,
) => `Replace the owner key with \`POST /v1/user/rotate\`, or with "Replace key…" in the account menu of \
[the console](${basePath}/). With \`graceSeconds=0\` ("immediately" in the console), the old key is revoked immediately. Otherwise, it can read data for \
five more minutes. Usage, plan and validity carry over, and your other keys remain valid.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/rotate?graceSeconds=0'`)}

The response contains the new key, which is shown only once. Save it. To revoke a key that you created with \`POST /v1/user/keys\`, send \
\`DELETE /v1/user/keys/{id}\`. \`GET /v1/user/keys\` lists the \`id\` and the last use of each key. If you have lost the owner key, \
\`POST /v1/user/recover\` sends you an email to replace it.`;

export const renewal = (
  base: string,
  basePath: string,
) => `A key on the ${PLAN_NAMES.map((plan) => `\`${plan}\` plan is valid for ${termInWords(plan)}`).join(', and a key on the ')}. It expires at \
\`validUntil\`, which is in the responses to the registration and to \`GET /v1/user/usage\`. After that, calls are rejected with 401 \
\`api_key_expired\`. Renew the key with the call below and the owner key, or with "Renew…" in the Allowance panel of [the console](${basePath}/). The key stays the same. \
The service warns you before the expiry only if it sends email, and if you have confirmed your address or turned on notices (\`PUT /v1/user/notices\`).

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/renew'`)}

* At most one plan period before \`validUntil\`: \`validUntil\` moves by one period. The remaining calls of the current period do not change.
* After \`validUntil\`: a new period with a full allowance starts immediately.
* Earlier: 409 \`renew_too_early\`, because a plan can be renewed at most one period ahead.

Renewal with the owner key also renews the keys that you created with \`POST /v1/user/keys\`, except keys with their own \`expiresAt\`. \
The response to a registration links to this section and to the renewal call in the header \`Link\`.`;

export const account = (
  base: string,
  basePath: string,
) => `[The console](${basePath}/) shows your usage and your keys. Its account menu contains "Renew key…", "Delete account…" and "Sign out", \
which removes the key from the browser. The key remains valid.

You can also delete the account with the call below. It revokes every key immediately, and erases your name and email address. This cannot be undone.

${fenced('sh', `curl -X DELETE -H "X-API-KEY: $KEY" '${base}/v1/user'`)}`;
