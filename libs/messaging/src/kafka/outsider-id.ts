import { createHash } from 'node:crypto';

/** The namespace of this project; any value, as long as it stays. */
const namespace = Buffer.from('5f0c8a9e2d6b4b1c9d3e7a4415c0b7aa', 'hex');

/** A UUID (version 5) that is always the same for the same text: events of others may have any text as their id. */
export function stableId(text: string): string {
  const hash = createHash('sha1').update(namespace).update(text).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
