import { InputError } from './input-error.js';

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/**
 * A file or a body as text, without its byte order mark. UTF-8, or UTF-16 as Windows PowerShell writes it: known by its mark, or by the zero
 * that stands in the first or second byte of each ASCII character (YAML 1.2 §5.2). Other files with such a zero at their beginning stay
 * as they are, for a better error.
 *
 * @param fatal whether bytes that are not of the encoding are an error; else they become U+FFFD.
 * @throws InputError for bytes of another encoding, with what would be right.
 */
export function decodedText(bytes: Uint8Array, { fatal = false }: { fatal?: boolean } = {}): string {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    throw new InputError('', 'it is UTF-32; use UTF-8');
  if (a === 0x1f && b === 0x8b)
    throw new InputError('', 'it is compressed by gzip; unpack it first (gunzip)');
  const encoding = encodingOf(bytes);
  try {
    return new TextDecoder(encoding, { fatal: fatal || encoding !== 'utf-8' }).decode(bytes);
  } catch {
    const found =
      encoding === 'utf-8'
        ? 'it is not UTF-8'
        : `it begins as ${encoding.toUpperCase()} and goes on otherwise`;
    throw new InputError('', `${found}; use UTF-8`);
  }
}

function encodingOf([a, b, c, d]: Uint8Array): Encoding {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // The text of a file begins with two characters of ASCII, or it is none.
  if (a && b === 0 && c && d === 0) return 'utf-16le';
  if (a === 0 && b && c === 0 && d) return 'utf-16be';
  return 'utf-8';
}
