import { expect, test } from 'vitest';
import { isPassing } from '#database/unreachable';

const error = (code: string) => Object.assign(new Error('because'), { code });

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', '57P03', '57P01', '53300'])(
  'is temporary: %s',
  (code) => {
    expect(isPassing(error(code))).toBe(true);
  },
);

test.each(['timeout expired', 'Connection terminated unexpectedly'])('is temporary: %s', (message) => {
  expect(isPassing(new Error(message))).toBe(true);
});

test.each(['28P01', '28000', '3D000', '42501', 'EACCES', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED'])(
  'requires the operator: %s',
  (code) => {
    expect(isPassing(error(code))).toBe(false);
  },
);

test('requires the operator: errors without a code, and other values', () => {
  expect(isPassing(new Error('SASL: client password must be a string'))).toBe(false);
  expect(isPassing(new Error('The server does not support SSL connections'))).toBe(false);
  expect(isPassing(undefined)).toBe(false);
});
