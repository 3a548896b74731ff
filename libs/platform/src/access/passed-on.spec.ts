import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { digestOfContent, PassedOnCallers, passOn } from './passed-on.js';

const secret = 'a-secret-that-services-share';
const self = 'config ingest';
const target = { method: 'PUT', originalUrl: '/v1/partitions/default/config' };
const content = {
  headers: { 'content-type': 'application/yaml', 'if-match': '"3"' },
  body: 'partitions: []',
};
const request = { ...target, ...content };
const ann = { issuer: 'mtls', subject: 'ann', address: '192.0.2.1' };

/** What a service of another version with the same secret could send. */
function signed(text: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'curtail: callers that are passed on, v2', 32));
  const payload = Buffer.from(text).toString('base64url');
  return `passed.${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}

describe('a caller that is passed on', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const right = () => ({
    ...{ actor: ann, to: self, id: randomUUID(), method: 'PUT', target: target.originalUrl },
    ...{ content: digestOfContent(content), madeAt: Date.now() },
  });
  const reading = () => new PassedOnCallers(secret, self);
  const laterBy = (ms: number) => {
    for (const clock of [Date, performance]) {
      const now = clock.now();
      jest.spyOn(clock, 'now').mockReturnValue(now + ms);
    }
  };

  it('is who the console says, without its groups, for one content', () => {
    const known = { actor: ann, content: digestOfContent(content) };
    const text = passOn(secret, { ...ann, groups: ['admins'] }, self, request);
    expect(reading().read(text, target)).toEqual(known);
    expect(reading().read(signed(JSON.stringify(right())), target)).toEqual(known);
  });

  it.each([
    ['a body', { ...content, body: 'partitions: [] ' }],
    ['a type', { ...content, headers: { ...content.headers, 'content-type': 'application/json' } }],
    ['no condition', { ...content, headers: { 'content-type': 'application/yaml' } }],
    [
      'another condition',
      { ...content, headers: { 'content-type': 'application/yaml', 'if-none-match': '"3"' } },
    ],
  ])('has another digest with another content: %s', (_what, other) => {
    expect(digestOfContent(other)).not.toBe(digestOfContent(content));
  });

  it('is known once, also by a clock that is behind', () => {
    const callers = reading();
    const text = signed(JSON.stringify({ ...right(), madeAt: Date.now() + 30_000 }));
    expect(callers.read(text, target)).toBeDefined();
    expect(callers.read(text, target)).toBeUndefined();
    laterBy(59_000);
    expect(callers.read(passOn(secret, ann, self, request), target)).toBeDefined();
    expect(callers.read(text, target)).toBeUndefined();
  });

  it('is forgotten once it is too old anyway', () => {
    const callers = reading();
    for (let count = 0; count < 3; count++) callers.read(passOn(secret, ann, self, request), target);
    laterBy(61_000);
    callers.read(passOn(secret, ann, self, request), target);
    expect((callers as unknown as { used: Map<string, number> }).used.size).toBe(1);
  });

  it('is unknown to another service', () => {
    const text = passOn(secret, ann, 'console', request);
    expect(reading().read(text, target)).toBeUndefined();
    expect(new PassedOnCallers(secret, 'console').read(text, target)).toBeDefined();
  });

  it.each([
    ['half a minute ago', 30_000, true],
    ['longer ago', 30_001, false],
    ['a little in the future', -30_000, true],
    ['far in the future', -30_001, false],
  ])('counts only near the time at which it was written: %s', (_when, afterMs, counts) => {
    const madeAt = 1_800_000_000_000;
    const text = signed(JSON.stringify({ ...right(), madeAt }));
    jest.spyOn(Date, 'now').mockReturnValue(madeAt + afterMs);
    expect(reading().read(text, target) !== undefined).toBe(counts);
  });

  it.each<[string, () => string]>([
    ['no JSON', () => 'x'],
    ['nothing', () => ''],
    ['another value', () => 'null'],
    ['one field more', () => JSON.stringify({ ...right(), body: 'x' })],
    ['no content', () => JSON.stringify({ ...right(), content: undefined })],
    ['a time as text', () => JSON.stringify({ ...right(), madeAt: new Date().toISOString() })],
    ['another issuer', () => JSON.stringify({ ...right(), actor: { ...ann, issuer: 'curtail' } })],
  ])('is nobody where the text is signed, but is %s', (_what, text) => {
    expect(reading().read(signed(text()), target)).toBeUndefined();
  });
});
