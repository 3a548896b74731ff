import { expect, it } from '@jest/globals';
import { LineCounter, parseDocument } from 'yaml';
import { yamlFaults } from './yaml-fault.js';

it.each([
  ['a:\n\tb: 1', '2:1 a tab indents this line; indent it with spaces'],
  ['a: [1, 2\nb: 3', '2:1 a bracket before this is not closed; close it with ] or }'],
  ['a:\n  - b: 1\n   c: 2', '3:1 this line is inside a list; begin it with "- "'],
  ['a:\n    - b: 1\n   c: 2', '3:1 this line is not indented like its neighbours'],
  ['a: "x\nb: 1\n', '3:1 a quotation mark before this is not closed'],
  ['a:\n  b: 1\n  c\n  d: 2', '3:3 a colon is missing; write key: value'],
  ['memory:80G\nvcore: 1', '1:1 a colon followed by a space is missing'],
  ['a: b: c', '1:4 this line has a second colon'],
  ['a: 1\n b: 2', '1:4 the next line is indented further than this one'],
  ['a: b\n- c', '2:1 found a list item where a key is expected'],
  ['a: {b: 1 c: 2}', '1:8 a comma is missing between two entries'],
  ['a: 1\na: 2', '2:1 this mapping has the key twice; remove one'],
  ['a: @x', '1:4 a value cannot begin with @; put it in quotes'],
  ['a: "\\q"', '1:5 there is no such escape between double quotes'],
  ['a: !!foo 1', '1:4 this tag is unknown'],
  ["a: 'it's'", '1:8 this text is unexpected here'],
  ['a: &x &y 1', '1:7 this is not valid YAML'],
])('says what is wrong with %j, and what would be right', (text, ...expected) => {
  const lines = new LineCounter();
  const { errors, warnings } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const faults = yamlFaults(text, [...errors, ...warnings]).map(({ message, offset }) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col} ${message}`;
  });
  expect(faults).toEqual(expected.map((words) => expect.stringContaining(words)));
});

it('has the first reported fault of each line, in the order of the report', () => {
  const text = 'ab\ncd\n\nef';
  const at = (offset: number) => ({ code: 'X', pos: [offset, offset + 1] as const });
  const found = yamlFaults(text, [at(4), at(1), at(3), at(0), at(6), at(8), at(9), at(2)]);
  expect(found.map(({ offset }) => offset)).toEqual([4, 1, 6, 8]);
});
