import { describe, expect, it } from '@jest/globals';
import { isLinkedRequest, linkFor, readLink } from './linked-explanation.js';

const token = 'correct-horse-battery';
const linked = {
  partition: 'default',
  allocation: 'a-1',
  expiresAt: '2026-12-01T00:00:00.000Z',
  madeAt: '2026-11-24T00:00:00.000Z',
};
const link = linkFor(token, linked);
/** 43 characters stand for 32 bytes: the last two bits of the last one are not used. */
function otherLastBits(link: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return link.slice(0, -1) + alphabet[alphabet.indexOf(link.at(-1)!) ^ 1];
}

const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('a link to an explanation', () => {
  it('opens what it was made for', () => {
    expect(readLink(token, link)).toEqual(linked);
  });

  it.each([
    ['of another Curtail', linkFor('other-horse-battery', linked)],
    [
      'for another allocation',
      link.replace(/^link\.[^.]+/, `link.${encoded(JSON.stringify({ ...linked, allocation: 'a-2' }))}`),
    ],
    [
      'that expires later',
      link.replace(
        /^link\.[^.]+/,
        `link.${encoded(JSON.stringify({ ...linked, expiresAt: '2999-01-01T00:00:00Z' }))}`,
      ),
    ],
    ['without a signature', link.slice(0, link.lastIndexOf('.'))],
    ['with an empty signature', `${link.slice(0, link.lastIndexOf('.'))}.`],
    ['with a shortened signature', link.slice(0, -4)],
    ['with something behind it', `${link}.x`],
    ['signed with the token itself', `link.${encoded(JSON.stringify(linked))}.${encoded(token)}`],
    ['with its signature padded', `${link}=`],
    ['with its signature padded further', `${link}===`],
    ['with other last bits, which stand for no byte', otherLastBits(link)],
    ['with a space in its signature', link.replace(/(.)$/, ' $1')],
    ['that is the token', token],
    ['that is endless', `${link}${'A'.repeat(20_000)}`],
  ])('opens nothing if it is one %s', (_, forged) => {
    expect(readLink(token, forged)).toBeUndefined();
  });

  it('says nothing of the token', () => {
    expect(link).not.toContain(token);
    expect(Buffer.from(link.split('.')[1]!, 'base64url').toString()).not.toContain(token);
  });

  it('permits one request', () => {
    const permitted = (method: string, path: string) => isLinkedRequest({ method, path });
    expect(permitted('GET', '/v1/explained')).toBe(true);
    for (const [method, path] of [
      ['POST', '/v1/explained'],
      ['GET', '/v1/explained/'],
      ['GET', '/v1/explained/../queues'],
      ['GET', '/V1/EXPLAINED'],
      ['GET', '/v1/queues'],
      ['GET', '/v1/allocations/a-1/explanation'],
    ] as const)
      expect(permitted(method, path)).toBe(false);
  });
});
