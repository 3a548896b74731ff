const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};
const sequence = /\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))/gsu;

/** The content of a string of YSON: bytes, of which those that are not ASCII are written as `\xD0` or `\320`, in UTF-8. */
export function unescaped(written: string): string {
  const parts: Buffer[] = [];
  let from = 0;
  for (const { 0: whole, 1: hex, 2: octal, 3: other, index } of written.matchAll(sequence)) {
    parts.push(Buffer.from(written.slice(from, index)));
    from = index + whole.length;
    if (other !== undefined) parts.push(Buffer.from(escapes[other] ?? other));
    else
      parts.push(
        Buffer.from([hex === undefined ? Number.parseInt(octal!, 8) & 255 : Number.parseInt(hex, 16)]),
      );
  }
  parts.push(Buffer.from(written.slice(from)));
  return Buffer.concat(parts).toString('utf8');
}
