import { QuotientError, type Usage } from '../../client/index.ts';
import type {
  AddedToken,
  AuditPage,
  Coin,
  MessagePage,
  OperatorUser,
  OperatorUserDetail,
  RequestReport,
  SourceReport,
  TokenPage,
  User,
  UserPage,
} from '../generated/records.ts';

/** An error response, with the title of its problem. */
export class ApiError extends QuotientError {
  readonly title: string;
  constructor(title: string, ...rest: ConstructorParameters<typeof QuotientError>) {
    super(...rest);
    this.title = title;
  }
}

type Problem = { code: string; title: string; detail: string; requestId?: string; errors?: QuotientError['errors'] };
type Request = { method?: string; body?: object; accept?: string };
export type Query = Readonly<Record<string, string>>;

/** `text` and `until` are null if there is no announcement. */
export type Announcement = { text: string | null; until: Date | null };

/** How long a call may take, in ms. */
const TIMEOUT = 30_000;
/** The members whose values are instants. Texts that users chose are never converted. */
const INSTANTS = /^(at|since|from|until|periodStart|\w+(At|Until))$/;
const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const parse = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) =>
    typeof value === 'string' && INSTANTS.test(name) && WRITTEN.test(value) ? new Date(value) : value,
  );

function problemOf(response: Response, text: string): QuotientError {
  const { status, headers } = response;
  if (!headers.get('content-type')?.startsWith('application/problem+json'))
    return new QuotientError('invalid_answer', `the response has status ${status} and no problem body`, { status });
  const { code, title, detail, requestId, errors } = JSON.parse(text) as Problem;
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(wait) ? wait : undefined;
  return new ApiError(title, code, detail, { status, requestId, retryAfter, ...(errors && { errors }) });
}

export const queryOf = (query: Query): string => {
  const parameters = Object.entries(query).filter(([, value]) => value !== '');
  return parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
};

const pathOf = (token: string) => `/tokens/${encodeURIComponent(token)}`;

/** The calls of the page. `onRejected` runs if the service rejects the token. */
export function createApi(token: () => string | undefined, onRejected: (error: QuotientError) => void) {
  async function send(path: string, { method = 'GET', body, accept = 'application/json' }: Request = {}) {
    const sent = token();
    const response = await fetch(`admin/v1${path}`, {
      method,
      headers: {
        accept,
        authorization: `Bearer ${sent}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    }).catch((cause) => {
      const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
      throw new QuotientError(isLate ? 'timeout' : 'network', 'no response', { cause });
    });
    if (response.ok) return response;
    const error = problemOf(response, await response.text());
    // A token that was replaced in the meantime does not end the new session.
    if (error.code === 'admin_token_invalid' && sent === token()) onRejected(error);
    throw error;
  }

  const read = async <T>(path: string, request?: Request) => parse(await (await send(path, request)).text()) as T;
  const post = <T>(path: string, body: object) => read<T>(path, { method: 'POST', body });

  return {
    users: (query: Query) => read<UserPage>(`/users${queryOf(query)}`),
    user: (key: number) => read<OperatorUserDetail>(`/users/${key}`),
    usage: (key: number, by: 'key' | 'path') => read<Usage>(`/users/${key}/usage${queryOf({ by })}`),
    suspend: (key: number, reason: string) => post<OperatorUser>(`/users/${key}/suspend`, { reason }),
    resume: (key: number, reason: string) => post<OperatorUser>(`/users/${key}/resume`, { reason }),
    plan: (key: number, body: { plan: string; from: string; limit?: number }) =>
      post<OperatorUser>(`/users/${key}/plan`, body),
    limit: (key: number, limit: number) => post<OperatorUser>(`/users/${key}/limit`, { limit }),
    credits: (key: number, calls: number, reason: string) =>
      post<OperatorUser>(`/users/${key}/credits`, { calls, reason }),
    rotate: (key: number, graceSeconds: number) => post<User>(`/users/${key}/rotate`, { graceSeconds }),
    renew: (key: number) => read<OperatorUser>(`/users/${key}/renew`, { method: 'POST' }),
    exported: async (key: number) => (await send(`/users/${key}/export`)).blob(),
    erase: (key: number) => send(`/users/${key}`, { method: 'DELETE' }),
    revokeKey: (key: number, id: number) => send(`/users/${key}/keys/${id}`, { method: 'DELETE' }),
    tokens: (query: Query) => read<TokenPage>(`/tokens${queryOf(query)}`),
    coins: (query: string) => read<Coin[]>(`/coins${queryOf({ query })}`),
    addToken: (id: string, body: { symbol?: string }) => read<AddedToken>(pathOf(id), { method: 'PUT', body }),
    setSuccessor: (id: string, successor: string | null) =>
      send(`${pathOf(id)}/successor`, { method: 'PUT', body: { successor } }),
    removeToken: (id: string) => send(pathOf(id), { method: 'DELETE' }),
    requests: () => read<RequestReport>('/requests'),
    sources: () => read<SourceReport[]>('/sources'),
    messages: (query: Query) => read<MessagePage>(`/messages${queryOf(query)}`),
    retry: (id: string) => read(`/messages/${encodeURIComponent(id)}/retry`, { method: 'POST' }),
    announcement: () => read<Announcement>('/announcement'),
    announce: (body: { text: string | null; until: string | null }) =>
      read<Announcement>('/announcement', { method: 'PUT', body }),
    audit: (query: Query) => read<AuditPage>(`/audit${queryOf(query)}`),
    auditLines: async (query: Query) =>
      (await send(`/audit${queryOf(query)}`, { accept: 'application/x-ndjson' })).blob(),
  };
}

export type Api = ReturnType<typeof createApi>;
