/** A key that occurs twice in one object of a text of JSON. */
export interface DuplicateKey {
  /** As `alternatives[0].name`. */
  path: string;
  /** Of its second place, in the text. */
  offset: number;
}

/** An object with the keys seen so far, or an array with the index of its current element. */
type Level = { keys: Set<string>; key: string } | { index: number };

/**
 * The first key that occurs twice in an object. `JSON.parse` keeps the last value, and other programs the first: what is meant is unknown.
 *
 * @param json a text that was parsed: it is not checked again.
 */
export function duplicateKey(json: string): DuplicateKey | undefined {
  const levels: Level[] = [];
  /** Whether the next string at this level is a key. */
  let isKey = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    const level = levels.at(-1);
    if (code === quote) {
      const end = endOfString(json, at);
      if (isKey && level !== undefined && 'keys' in level) {
        const raw = json.slice(at, end + 1);
        level.key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
        if (level.keys.has(level.key)) return { path: pathOf(levels), offset: at };
        level.keys.add(level.key);
        isKey = false;
      }
      at = end;
    } else if (code === openBrace) {
      levels.push({ keys: new Set(), key: '' });
      isKey = true;
    } else if (code === openBracket) {
      levels.push({ index: 0 });
      isKey = false;
    } else if (code === closeBrace || code === closeBracket) {
      levels.pop();
      isKey = false;
    } else if (code === comma && level !== undefined) {
      if ('keys' in level) isKey = true;
      else level.index++;
    }
  }
  return undefined;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const pathOf = (levels: readonly Level[]): string =>
  levels
    .map((level, depth) => ('keys' in level ? `${depth === 0 ? '' : '.'}${level.key}` : `[${level.index}]`))
    .join('');
