import { commonEnds } from '#contracts';
import { isHadoopText } from '../capacity-scheduler/hadoop-properties.js';
import { isUnusual } from '../plain-yaml.js';
import type { ConfigurationResult } from '../result.js';
import { whyTooLarge } from '../yaml-source.js';
import { isYson } from '../ytsaurus/yson.js';

/** A configuration that was read without an error. */
export interface ReadText {
  text: string;
  result: ConfigurationResult;
  /** What `hasSimpleLines` says of the text; absent: not known yet. */
  isSimple?: boolean;
}

/**
 * Reads a queues.yaml in YAML that differs from one that was read in comments, blank lines and spaces at the ends of lines only. It checks only
 * the lines between the first and the last difference.
 *
 * @param read with the same options.
 * @returns exactly what `readConfiguration` does (other-comments.spec.ts), with the same objects for the queues; undefined for every text
 *   that differs in more, or that is not written so simply that a comment is known without reading it.
 */
export function withOtherComments(read: ReadText, text: string): ConfigurationResult | undefined {
  const { text: old, result } = read;
  if (result.format !== 'yunikorn' || read.isSimple === false) return undefined;
  const [begin, oldEnd, end] = differingLines(old, text);
  const [before, after] = [old.slice(begin, oldEnd), text.slice(begin, end)];
  const [lines, others] = [linesIn(before), linesIn(after)];
  if (lines === undefined || others === undefined || isUnusual.test(after)) return undefined;
  const isSame = lines.length === others.length && lines.every((line, i) => line.own === others[i]!.own);
  if (!isSame || isYson(text) || isHadoopText(text, undefined) || whyTooLarge(text) !== undefined)
    return undefined;
  read.isSimple ??= hasSimpleLines(old);
  if (!read.isSimple) return undefined;
  const isMoved = result.warnings.some(({ line }) => line !== undefined);
  return isMoved ? withPlaces(result, placesOf(old, begin, { before, after, lines, others })) : result;
}

/** The place of the first line that differs in two texts, and behind the last one in each. */
function differingLines(a: string, b: string): [begin: number, endInA: number, endInB: number] {
  const same = commonEnds(a, b);
  const begin = same.begin === 0 ? 0 : a.lastIndexOf('\n', same.begin - 1) + 1;
  const lineEnd = a.indexOf('\n', a.length - same.end);
  const rest = lineEnd < 0 ? 0 : a.length - lineEnd - 1;
  return [begin, a.length - rest, b.length - rest];
}

/** A line that is more than a comment. */
interface Line {
  /** Its text without a comment. */
  own: string;
  /** From 0. */
  number: number;
  /** How far the next line may be indented: one below a value would be a part of it. */
  mostIndented: number;
}

/** Undefined if one of them is not simple. */
function linesIn(text: string): Line[] | undefined {
  const lines: Line[] = [];
  let number = 0;
  for (let begin = 0; begin < text.length; number++) {
    const next = text.indexOf('\n', begin);
    const end = next < 0 ? text.length : next;
    const written = text.slice(begin, end);
    begin = end + 1;
    if (isBlank.test(written)) continue;
    const [, own, indentation, dashes, key, value, item] = simpleLine.exec(written) ?? [];
    if (own === undefined) return undefined;
    const isItem = item !== undefined;
    if (isItem && dashes === '') return undefined;
    const at = indentation!.length + (isItem ? dashes!.lastIndexOf('-') : dashes!.length);
    const mostIndented = key !== undefined && value === undefined ? Number.POSITIVE_INFINITY : at;
    const previous = lines.at(-1);
    if (previous && indentation!.length > previous.mostIndented) return undefined;
    lines.push({ own, number, mostIndented });
  }
  return lines;
}

/** Whether every line is a comment or a whole key or item, whose scalars end on it: a `#` behind a space begins a comment in all of them. */
const hasSimpleLines = (text: string): boolean => !isUnusual.test(text) && linesIn(text) !== undefined;

const isBlank = /^ *(?:#.*)?\r?$/;

const simpleLine = (() => {
  const key = String.raw`[\w./-]+`;
  const quoted = String.raw`"[^"\\]*"|'[^']*'`;
  const word = (further: string) => {
    const unit = String.raw`(?:[\w./+*%=@${further}-]|:(?=\w))`;
    return String.raw`(?:[\w./+]|-(?=[\w.]))${unit}*(?: +(?!#)${unit}+)*`;
  };
  const inFlow = (value: string) => {
    const items = String.raw`\[ *(?:(?:${value})(?: *, *(?:${value}))* *)?\]`;
    const pair = `(?:${quoted}|${key}): +(?:${value})`;
    return String.raw`${items}|\{ *(?:${pair}(?: *, *${pair})* *)?\}`;
  };
  const scalar = `${quoted}|${word('')}`;
  const flow = inFlow(`${scalar}|${inFlow(`${scalar}|${inFlow(scalar)}`)}`);
  const value = `${quoted}|${word(',')}|${flow}`;
  return new RegExp(`^(( *)((?:- +)*)(?:(${key}):(?: +(${value}))?|(${value})))(?: +#.*| *)\\r?$`);
})();

/** Finds the new line of an old one, both from 1; undefined for a line that is only a comment. */
function placesOf(
  old: string,
  begin: number,
  { before, after, lines, others }: { before: string; after: string; lines: Line[]; others: Line[] },
): (line: number) => number | undefined {
  const first = countLines(old.slice(0, begin));
  const [was, is] = [countLines(before), countLines(after)];
  return (line) => {
    const inside = line - 1 - first;
    if (inside < 0) return line;
    if (inside >= was) return line - was + is;
    const index = lines.findIndex(({ number }) => number === inside);
    return index < 0 ? undefined : first + 1 + others[index]!.number;
  };
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function withPlaces(
  result: ConfigurationResult,
  placeOf: (line: number) => number | undefined,
): ConfigurationResult | undefined {
  const warnings: ConfigurationResult['warnings'] = [];
  for (const warning of result.warnings) {
    const line = warning.line === undefined ? undefined : placeOf(warning.line);
    if (warning.line !== undefined && line === undefined) return undefined;
    warnings.push(line === undefined ? warning : { ...warning, line });
  }
  return { ...result, warnings };
}
