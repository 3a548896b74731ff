import type { ConfigurationFormat, Plan } from '#contracts';
import type { YarnOptions } from '../input/yarn-cluster.js';
import type { YtsaurusOptions } from '../input/ytsaurus-tree.js';
import type { Invocation } from '../invocation/invocation.js';
import { planLines } from '../output/plan-lines.js';
import { print } from '../output/print.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function printPlan(invocation: Invocation, planned: Plan): Promise<ExitStatus> {
  await print(invocation, {
    value: planned,
    table: () => planLines(planned, invocation),
    names: () => planned.victims.map(({ allocation }) => `allocation/${allocation}`),
  });
  // With `observeOnly` the victims are only listed.
  return planned.victims.length > 0 && !planned.observeOnly ? exitStatus.wouldEvict : exitStatus.done;
}

/** The same input with the setting `explain`; invalid input is passed on for the planner to refuse. */
export function withExplain(input: unknown, explain: boolean): unknown {
  if (!explain || typeof input !== 'object' || input === null) return input;
  const settings = 'settings' in input ? input.settings : undefined;
  if (settings !== undefined && (typeof settings !== 'object' || Array.isArray(settings))) return input;
  return { ...input, settings: { ...settings, explain: true } };
}

export interface PlanOptions extends YarnOptions, YtsaurusOptions {
  input?: string;
  batch?: string;
  statedump?: string;
  /** Configurations to try against the dump. */
  file?: string[];
  format?: ConfigurationFormat;
  allowUnknown?: boolean;
  /** Words of quotas to try: `root.research`, `memory=120G`. */
  max?: string[];
  /** In seconds. */
  delay?: number;
  allowDifference?: boolean;
  queue?: string;
  partition?: string;
  explain?: boolean;
  /** Print the snapshot, in place of a plan. */
  snapshot?: boolean;
}
