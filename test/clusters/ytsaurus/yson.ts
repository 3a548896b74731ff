/** YSON in its text form, as the official client sends and reads it. Attributes are `{$attributes, $value}`, as in YTsaurus's JSON. */

export type Value = unknown;

interface Attributed {
  $attributes: Record<string, Value>;
  $value: Value;
}

export const isAttributed = (value: Value): value is Attributed =>
  typeof value === 'object' && value !== null && '$attributes' in value && '$value' in value;

/** @throws Error with the place where it is no YSON. */
export function readYson(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail('more than one value');
  }

  value(): Value {
    this.space();
    if (this.text[this.at] !== '<') return this.plain();
    const $attributes = this.pairs('<', '>');
    return { $attributes, $value: this.value() };
  }

  private plain(): Value {
    this.space();
    const character = this.text[this.at];
    if (character === '{') return this.pairs('{', '}');
    if (character === '[') return this.list();
    if (character === '"') return this.quoted();
    if (character === '#') {
      this.at++;
      return null;
    }
    const [word] = /^%?[-+A-Za-z0-9_./]+/.exec(this.text.slice(this.at)) ?? this.fail('a value');
    this.at += word.length;
    if (word === '%true' || word === '%false') return word === '%true';
    if (/^[-+]?\d+u?$/.test(word)) return Number(word.replace('u', ''));
    if (/^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(word)) return Number(word);
    return word;
  }

  private pairs(open: string, close: string): Record<string, Value> {
    this.take(open);
    const pairs: Record<string, Value> = {};
    for (;;) {
      this.space();
      if (this.text[this.at] === close) break;
      const key = String(this.plain());
      this.space();
      this.take('=');
      pairs[key] = this.value();
      this.space();
      if (this.text[this.at] === ';') this.at++;
    }
    this.take(close);
    return pairs;
  }

  private list(): Value[] {
    this.take('[');
    const items: Value[] = [];
    for (;;) {
      this.space();
      if (this.text[this.at] === ']') break;
      items.push(this.value());
      this.space();
      if (this.text[this.at] === ';') this.at++;
    }
    this.take(']');
    return items;
  }

  private quoted(): string {
    const [whole] = /^"(?:[^"\\]|\\[\s\S])*"/.exec(this.text.slice(this.at)) ?? this.fail('a string');
    this.at += whole.length;
    return whole
      .slice(1, -1)
      .replace(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\n/g, '\n')
      .replace(/\\(["\\])/g, '$1');
  }

  private take(character: string): void {
    if (this.text[this.at] !== character) this.fail(character);
    this.at++;
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }

  private fail(wanted: string): never {
    throw new Error(`YSON: ${wanted} is expected at ${this.at} of ${this.text.slice(0, 200)}`);
  }
}

export function writeYson(value: Value): string {
  if (value === null || value === undefined) return '#';
  if (typeof value === 'boolean') return value ? '%true' : '%false';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : `${value}`;
  if (typeof value === 'string') {
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `"${escaped}"`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => `${writeYson(item)};`).join('')}]`;
  if (isAttributed(value)) return `<${pairsOf(value.$attributes)}>${writeYson(value.$value)}`;
  return `{${pairsOf(value as Record<string, Value>)}}`;
}

const pairsOf = (pairs: Record<string, Value>): string =>
  Object.entries(pairs)
    .map(([key, item]) => `${writeYson(key)}=${writeYson(item)};`)
    .join('');
