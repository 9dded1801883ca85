import { PLAN_NAMES, termInWords } from '#accounts/ledger/plan';
import { fenced, type GuideSettings } from './rules.ts';

export function gettingKey(base: string, { registration, registrationsPerMinute }: GuideSettings): string {
  if (registration === 'closed') return 'Registration is closed on this service: ask the operator for a key.';
  const pace =
    registrationsPerMinute > 0 ? ` One IP address can register at most ${registrationsPerMinute} times a minute.` : '';
  const plans = PLAN_NAMES.map((plan) => `\`${plan}\``).join(' or ');
  const mail =
    registration === 'verified'
      ? 'The response is 202, and the address receives a mail with a link that is valid for 24 hours: the key is created when you follow it.'
      : 'No e-mail is sent.';
  const answer =
    registration === 'verified'
      ? 'The link leads to the console, which sends the one-time code to `POST /v1/user/verify`. The member `apiKey` of that response'
      : 'The member `apiKey` of the response';
  return `Register with a name, an e-mail address and a plan (${plans}): \`POST /v1/user/create\`. ${mail}${pace}

\`\`\`sh
curl -X POST '${base}/v1/user/create?name=Ada&email=ada%40example.org&plan=monthly'
\`\`\`

${answer} is the key: \`qt_\` and 38 letters and digits. It is shown only once, since the service \
stores just its hash: save it. \`POST /v1/user/rotate\` replaces it by a new one. The key expires at \`validUntil\`; [renew it](#renewal) to keep it.

It is the owner key: whoever has it can change and erase the account. For a web page or a script make a key of its own, \
which can only read prices (\`scopes=prices\`) or call the node (\`scopes=node\`), and share in the same allowance:

\`\`\`sh
curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/keys?label=shop%20window&scopes=prices'
\`\`\`

The pages of another origin can call the service only if the operator has allowed their origin (CORS, \`CORS_ORIGINS\`): \
ask for that before you put a key into a page of yours. Your own server or script needs no such thing.

\`GET /v1/user/keys\` lists your keys with when each was last used, and \`DELETE /v1/user/keys/{id}\` ends one.`;
}

export const leakedKey = (
  base: string,
  basePath: string,
) => `Replace the owner key by a new one: \`POST /v1/user/rotate\`, or in [the console](${basePath}/) "Replace key…" in the account \
menu. With \`graceSeconds=0\`, in the console "immediately", the old key ends at once; without it, after five minutes in which it \
can still read. Usage, plan and validity stay, and so do your other keys.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/rotate?graceSeconds=0'`)}

The answer has the new key, once: save it. A key that you made with \`POST /v1/user/keys\` ends with \`DELETE /v1/user/keys/{id}\`, \
in which \`id\` is its number in \`GET /v1/user/keys\`, where you also see when it was last used. If you have lost the owner key, \
\`POST /v1/user/recover\` mails a way to a new one.`;

export const renewal = (
  base: string,
  basePath: string,
) => `A key of the plan ${PLAN_NAMES.map((plan) => `\`${plan}\` is valid for ${termInWords(plan)}`).join(', one of the plan ')}. It expires at \
\`validUntil\`, which the responses of the registration and of \`GET /v1/user/usage\` contain. Afterwards calls respond with 401 \
\`api_key_expired\`. Renew it with the owner key, or in [the console](${basePath}/) with "Renew…" beside the allowance. The key stays the same.

${fenced('sh', `curl -X POST -H "X-API-KEY: $KEY" '${base}/v1/user/renew'`)}

* In the last period before \`validUntil\`: \`validUntil\` moves by one period. The calls that are left in the current period stay as they are.
* After \`validUntil\`: a new period with its whole allowance starts at once.
* Earlier: 409 \`renew_too_early\`, since a plan is renewed at most one period ahead.

Keys that you made with \`POST /v1/user/keys\` are renewed with the owner key, except those with an \`expiresAt\`, which end at that time. \
The answer to a registration links to this section and to the call in the header \`Link\`.`;

export const account = (
  base: string,
  basePath: string,
) => `[The console](${basePath}/) shows your usage and your keys, and its account menu has the rest: "Renew key…", "Sign out", \
which takes the key out of that browser and leaves it valid, and "Delete account…".

To delete the account with a call: every key ends at once, and the name and the e-mail address are erased. It cannot be undone.

${fenced('sh', `curl -X DELETE -H "X-API-KEY: $KEY" '${base}/v1/user'`)}`;
