import { legendOfRule } from '#planning/words';
import type { Invocation } from '../invocation/invocation.js';
import { hanging } from './wrapped.js';

/** What the numbers of rules in the reasons of victims mean; nothing where no rule has one, or none was recorded. */
export function legendLines(
  victims: readonly { rule?: string | null | undefined }[],
  { width, style }: Pick<Invocation, 'width' | 'style'>,
): string[] {
  const legends = victims.map(({ rule }) => (rule ? legendOfRule(rule) : undefined));
  const legend = legends.find((each) => each !== undefined);
  return legend === undefined ? [] : hanging(legend, width).map((line) => style('faint', line));
}
