import type { Source } from '../generated/records.ts';
import { toSample, toTokens } from './price-records.ts';
import { get, json } from './request.ts';
import { each, object } from './wire.ts';

export type Readiness = { status: 'ok'; warnings: string[] };

export const tokens = () => get('/v1/tokens', json(toTokens), { isPublic: true });

export const sources = () => get('/v1/sources', json(each(object<Source>)), { isPublic: true });

export const sample = () => get('/v1/sample', json(toSample), { isPublic: true });

/** Asked once: it is that of now. */
export const health = () => get('/health/ready', json(object<Readiness>), { isPublic: true, retries: 0 });
