import { printable } from '../terminal/printable.js';
import { hanging } from './wrapped.js';

/** Below what is wrong: the page that says what to do step by step. None if it has no page. */
export function runbookLines(runbook: string | undefined, width: number): string[] {
  return runbook === undefined ? [] : hanging(`runbook: ${printable(runbook)}`, width, '  ');
}
