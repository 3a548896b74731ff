import { describe, expect, it } from '@jest/globals';
import { decodedText } from './storable.js';

const text = 'partitions: # größer\r\n';
const utf16le = Buffer.from(text, 'utf16le');
const utf16be = Buffer.from(utf16le).swap16();
const bytes = (...parts: (number[] | Buffer)[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

describe('the text of a file', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', bytes([0xef, 0xbb, 0xbf], Buffer.from(text))],
    ['UTF-16 of Windows PowerShell', bytes([0xff, 0xfe], utf16le)],
    ['UTF-16, the other byte first', bytes([0xfe, 0xff], utf16be)],
    ['UTF-16 without a mark', utf16le],
    ['UTF-16 without a mark, the other byte first', utf16be],
  ])('is read from %s', (_, written) => {
    expect(decodedText(written, { fatal: true })).toBe(text);
  });

  it.each([
    ['UTF-32', [0xff, 0xfe, 0, 0, 0x70, 0, 0, 0], 'it is UTF-32; use UTF-8'],
    ['gzip', [0x1f, 0x8b, 8, 0], 'it is compressed by gzip; unpack it first'],
    ['UTF-16 that ends in the middle of a character', [0xff, 0xfe, 0x70], 'begins as UTF-16LE'],
  ])('of %s is refused with what to do', (_, written, message) => {
    expect(() => decodedText(Buffer.from(written))).toThrow(message);
  });

  it('has a sign in place of bytes that are not UTF-8, unless they are an error', () => {
    const latin1 = Buffer.from('größer', 'latin1');
    expect(decodedText(latin1)).toBe('gr\ufffd\ufffder');
    expect(() => decodedText(latin1, { fatal: true })).toThrow('it is not UTF-8; use UTF-8');
  });

  it('may be empty', () => {
    expect(decodedText(Buffer.alloc(0))).toBe('');
  });
});
