import type { Invocation } from '../invocation/invocation.js';
import { zoneText } from './time.js';
import { hanging } from './wrapped.js';

/** The zone of the times in these lines, as a last line; nothing where they have none. */
export function zoneLines(
  lines: readonly string[],
  { width, style }: Pick<Invocation, 'width' | 'style'>,
): string[] {
  if (!lines.some((line) => /\d\d:\d\d:\d\d/.test(line))) return [];
  return hanging(`Times are ${zoneText()}.`, width).map((line) => style('faint', line));
}
