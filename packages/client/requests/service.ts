import type { MarketSample, Source, Token } from '../generated/records.ts';
import { toSample, toTokens } from './price-records.ts';
import { json, type Request } from './request.ts';
import { object } from './wire.ts';

export type Readiness = { status: 'ok'; warnings: string[] };

export const tokens = (): Request<Token[]> => ({
  method: 'GET',
  path: '/v1/tokens',
  isPublic: true,
  read: json(toTokens),
});

export const sources = (): Request<Source[]> => ({
  method: 'GET',
  path: '/v1/sources',
  isPublic: true,
  read: json((wire: Source[]) => wire.map(object)),
});

export const sample = (): Request<MarketSample> => ({
  method: 'GET',
  path: '/v1/sample',
  isPublic: true,
  read: json(toSample),
});

/** Asked once: it is that of now. */
export const health = (): Request<Readiness> => ({
  method: 'GET',
  path: '/health/ready',
  isPublic: true,
  retries: 0,
  read: json(object<Readiness>),
});
