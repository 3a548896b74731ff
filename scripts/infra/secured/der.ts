/** The few parts of DER (ITU-T X.690) that a certificate is made of. */
const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
};

export function tagged(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...items: Buffer[]): Buffer => tagged(tags.sequence, ...items);
export const setOf = (...items: Buffer[]): Buffer => tagged(tags.set, ...items);
/** Of bytes whose first bit is not set. */
export const integer = (bytes: Buffer): Buffer => tagged(tags.integer, bytes);
export const bits = (bytes: Buffer): Buffer => tagged(tags.bits, Buffer.from([0]), bytes);
export const octets = (bytes: Buffer): Buffer => tagged(tags.octets, bytes);
export const utf8 = (text: string): Buffer => tagged(tags.utf8, Buffer.from(text));
export const yes = Buffer.from([0x01, 0x01, 0xff]);

/** @param name as numbers with dots, the first two of which make one byte: 2.5.4.3 */
export function oid(name: string): Buffer {
  const [first = 0, second = 0, ...rest] = name.split('.').map(Number);
  return tagged(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

/** To the second, in UTC; of the years until 2049, for which certificates have no other way. */
export function time(at: Date): Buffer {
  return tagged(tags.time, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}
