import { type Control, proves } from './controls.js';
import type { Outcome } from './play.js';
import type { Measured } from './recovery.js';

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** A report of one scenario, in a few lines. */
export function reportOf(outcome: Outcome): string {
  const { scenario, seed, decreases, runs, kills, events, messages, repetitions, findings } = outcome;
  const lines = [
    `${findings.length === 0 ? 'right' : 'WRONG'}  ${scenario}  (seed ${seed}: ${decreases} decreases, ${runs} runs, ` +
      `${kills} evictions, ${events} events; ${messages} messages, ${repetitions} of them repeated)`,
    ...outcome.measured.map(toldMeasure),
    ...findings.map((finding) => `       ! ${finding}`),
    ...(outcome.logs ? [`       logs: ${outcome.logs}`] : []),
  ];
  return lines.join('\n');
}

function toldMeasure({ what, ms, targetMs }: Measured): string {
  const aim = targetMs === undefined ? '' : `  (aim ${seconds(targetMs)}${ms > targetMs ? ': missed' : ''})`;
  return `       ${what}: ${seconds(ms)}${aim}`;
}

/** The sum over all scenarios. */
export function summed(outcomes: readonly Outcome[], load: string): string {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0);
  const wrong = outcomes.filter(({ findings }) => findings.length > 0);
  const aimed = outcomes.flatMap(({ measured }) => measured.filter(({ targetMs }) => targetMs !== undefined));
  const missed = aimed.filter(({ ms, targetMs = 0 }) => ms > targetMs);
  return [
    `${outcomes.length} scenarios, ${wrong.length} of them wrong${wrong.length > 0 ? `: ${wrong.map((one) => one.scenario).join(', ')}` : ''}`,
    `checked: ${sum((one) => one.decreases)} accepted decreases, ${sum((one) => one.runs)} runs, ` +
      `${sum((one) => one.kills)} evictions, ${sum((one) => one.events)} events`,
    `${aimed.length - missed.length} of ${aimed.length} recoveries within what is aimed at (load average ${load})`,
  ].join('\n');
}

export function reportOfControl(control: Control): string {
  const { protection, check, withIt, withoutIt } = control;
  const found = withoutIt.filter((finding) => finding.startsWith(`${check}: `));
  const summary = `control: without the ${protection} ${check} found ${found.length}, with it the audit found ${withIt.length}`;
  if (proves(control)) return summary;
  const lines = (how: string, findings: string[]) => findings.map((finding) => `       ! ${how}: ${finding}`);
  return [
    `${summary}: WRONG, the audit proves nothing`,
    ...lines('with it', withIt),
    ...lines('without it', withoutIt),
  ].join('\n');
}
