/** A fault of a YAML text as the library reports it: its code, and the part of the text that it is about. */
interface Reported {
  code: string;
  pos: readonly [number, number];
}

/** One fault in words, at its offset in the text. */
export interface YamlFault {
  message: string;
  offset: number;
}

/**
 * The faults of a YAML text in plain words: what is wrong, and what would be right. Of each line, only the first fault is reported, since
 * the others follow from it. No message quotes the text, which may hold secrets, beyond one punctuation mark.
 */
export function yamlFaults(text: string, reported: readonly Reported[]): YamlFault[] {
  if (reported.length === 0) return [];
  const begins = lineBegins(text);
  const lines = new Set<number>();
  return reported.flatMap((fault) => {
    const line = lineOf(begins, fault.pos[0]);
    if (lines.has(line)) return [];
    lines.add(line);
    return [{ message: messageOf(text, fault), offset: fault.pos[0] }];
  });
}

/** The offsets at which lines begin. They are found once: a single line may be the whole text, with a fault at each of its characters. */
function lineBegins(text: string): number[] {
  const begins = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) begins.push(end + 1);
  return begins;
}

/** The number of the line, from 0 on, that an offset is in. */
function lineOf(begins: readonly number[], offset: number): number {
  let [low, high] = [0, begins.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (begins[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function messageOf(text: string, { code, pos: [from, to] }: Reported): string {
  const part = text.slice(from, to);
  const isIndentation = /^\s+$/.test(part);
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab indents this line; indent it with spaces';
    case 'BAD_INDENT':
      return isIndentation
        ? 'this line is not indented like its neighbours; keys of one mapping begin in the same column'
        : 'a bracket before this is not closed; close it with ] or }, and indent its lines further than its key';
    case 'MISSING_CHAR':
      if (text.slice(from).trim() === '') return 'a quotation mark before this is not closed; close it';
      return isIndentation
        ? 'this line is inside a list; begin it with "- ", or indent it like its neighbours'
        : 'a colon is missing; write key: value';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return /:(\s|$)/m.test(lineFrom(text, from))
        ? 'this line has a second colon; put the value in quotes, or begin a new line for the second key'
        : 'the next line is indented further than this one, which has a value; give both the same indentation';
    case 'MULTILINE_IMPLICIT_KEY':
      return part.startsWith('-')
        ? 'found a list item where a key is expected; indent it below a key that has no other value'
        : 'a colon followed by a space is missing; write key: value';
    case 'DUPLICATE_KEY':
      return 'this mapping has the key twice; remove one';
    case 'BLOCK_IN_FLOW':
      return 'a comma is missing between two entries; separate the entries between [ ] or { } with commas';
    case 'BAD_SCALAR_START':
      return `a value cannot begin with ${part.slice(0, 1)}; put it in quotes`;
    case 'BAD_DQ_ESCAPE':
      return 'there is no such escape between double quotes; write \\\\ for a backslash, or use single quotes';
    case 'TAG_RESOLVE_FAILED':
      return 'this tag is unknown; remove it';
    case 'BAD_DIRECTIVE':
      return 'a line that begins with % is a directive; remove it';
    case 'UNEXPECTED_TOKEN':
      return 'this text is unexpected here; check the indentation of this line, and that each quote and bracket is closed once';
    default:
      return 'this is not valid YAML; check quotes, brackets and the indentation of this line';
  }
}

function lineFrom(text: string, from: number): string {
  const end = text.indexOf('\n', from);
  return text.slice(from, end === -1 ? undefined : end).trimEnd();
}
