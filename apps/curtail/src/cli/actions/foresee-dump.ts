import type { StateDump } from '#agents/yunikorn';
import type { AlternativeOutcome, Preview } from '#api-client';
import { foreseeInSnapshot, type MakePlan, outcomeOf, presentOf } from '#forecast';
import { decidedPlanOf, planOrFault } from '#planning';
import type { Proposal } from '../input/proposals.js';
import { differenceText } from '../input/state-dump.js';
import type { Invocation } from '../invocation/invocation.js';
import { problemText, reportDelayToTry } from '../output/validation.js';
import { located } from '../terminal/errors.js';

export interface ForeseenInDump {
  preview: Preview;
  outcome: AlternativeOutcome;
}

/** What a proposal would do to the work in a state dump. */
export async function foreseeDump(
  { snapshot, queues: before }: StateDump,
  { name, queues, warnings, withoutDelay }: Proposal,
  { explain = false }: { explain?: boolean | undefined } = {},
): Promise<ForeseenInDump> {
  const plan: MakePlan = async ({ settings, ...question }) =>
    decidedPlanOf(
      planOrFault({ ...question, settings: { ...(settings as object), ...(explain && { explain }) } }),
    );
  const { preview, usage } = await foreseeInSnapshot(
    { snapshot, before, queues, warnings, withoutDelay },
    plan,
  );
  const outcome = outcomeOf(name, preview, presentOf(snapshot), usage);
  // A server would answer with the same: the client's types are made from its document.
  return { preview, outcome } as unknown as ForeseenInDump;
}

/** What the reader of a preview of a dump has to know beside its victims. */
export function reportOfDump(
  invocation: Invocation,
  { differences }: StateDump,
  proposals: readonly Proposal[],
  { delay, victims }: { delay: number | undefined; victims: number },
): void {
  for (const { file, warnings } of proposals) {
    for (const warning of warnings) {
      const text = file === undefined ? located(undefined, warning) : problemText(file, warning);
      invocation.report(`warning: ${text}`);
    }
  }
  reportDifferences(invocation, differences);
  for (const text of new Set(proposals.flatMap(({ assumes }) => assumes)))
    invocation.report(`assumed: ${text}`);
  if (victims === 0 && proposals.some(({ file }) => file !== undefined)) {
    reportDelayToTry(
      invocation,
      delay,
      proposals.flatMap(({ warnings }) => warnings),
    );
  }
}

export function reportDifferences(invocation: Invocation, differences: StateDump['differences']): void {
  for (const difference of differences)
    invocation.report(`warning: ${differenceText(difference)}: the rest counts as work that stays`);
}
