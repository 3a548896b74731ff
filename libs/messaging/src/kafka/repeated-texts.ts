/** Longer texts, and those in further places, are not compared. */
const longest = 100;
const mostPlaces = 32;

/**
 * Decodes UTF-8 of which most is the same as the last time in its place, such as the names of headers and most of their values. Comparing
 * the bytes takes a fraction of the time of decoding them, and a message has up to thirteen headers.
 */
export class RepeatedTexts {
  /** With as many characters as bytes, by place. */
  private readonly last: string[] = [];

  decode(place: number, bytes: Buffer, from = 0, to = bytes.length): string {
    const last = this.last[place];
    if (last !== undefined && last.length === to - from && isAt(last, bytes, from)) return last;
    const text = bytes.toString('utf8', from, to);
    // Then all are ASCII, or stand for wrong bytes and are equal to none.
    if (text.length === to - from && text.length <= longest && place < mostPlaces) this.last[place] = text;
    return text;
  }
}

function isAt(text: string, bytes: Buffer, from: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== bytes[from + at]) return false;
  return true;
}
