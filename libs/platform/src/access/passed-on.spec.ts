import { createHmac, hkdfSync } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { passOn, readPassedOn } from './passed-on.js';

const secret = 'a-secret-that-services-share';
const request = { method: 'PUT', originalUrl: '/v1/partitions/default/config' };
const ann = { issuer: 'mtls', subject: 'ann', address: '192.0.2.1' };

/** What a service of another version with the same secret could send. */
function signed(text: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'curtail: callers that are passed on, v1', 32));
  const payload = Buffer.from(text).toString('base64url');
  return `passed.${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}

describe('a caller that is passed on', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const right = () => ({ actor: ann, method: 'PUT', target: request.originalUrl, madeAt: Date.now() });

  it('is who the console says, without its groups', () => {
    expect(readPassedOn(secret, passOn(secret, { ...ann, groups: ['admins'] }, request), request)).toEqual(
      ann,
    );
    expect(readPassedOn(secret, signed(JSON.stringify(right())), request)).toEqual(ann);
  });

  it.each([
    ['two minutes ago', 120_000, true],
    ['longer ago', 120_001, false],
    ['a little in the future', -120_000, true],
    ['far in the future', -120_001, false],
  ])('counts only near the time at which it was written: %s', (_when, afterMs, counts) => {
    const text = passOn(secret, ann, request);
    const { madeAt } = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString()) as {
      madeAt: number;
    };
    jest.spyOn(Date, 'now').mockReturnValue(madeAt + afterMs);
    expect(readPassedOn(secret, text, request) !== undefined).toBe(counts);
  });

  it.each<[string, () => string]>([
    ['no JSON', () => 'x'],
    ['nothing', () => ''],
    ['another value', () => 'null'],
    ['one field more', () => JSON.stringify({ ...right(), body: 'x' })],
    ['a time as text', () => JSON.stringify({ ...right(), madeAt: new Date().toISOString() })],
    ['another issuer', () => JSON.stringify({ ...right(), actor: { ...ann, issuer: 'curtail' } })],
  ])('is nobody where the text is signed, but is %s', (_what, text) => {
    expect(readPassedOn(secret, signed(text()), request)).toBeUndefined();
  });
});
