/** An event as the log lists it. */
export interface LoggedEvent {
  position: string;
  time: string;
  name: string;
  stream: string;
  data: unknown;
}

export interface Step {
  /** Of its first event. */
  position: string;
  time: string;
  text: string;
}

const ofVictims = /^(?:Victim|Eviction)/;

/**
 * The events of a run as steps, oldest first. Events of victims that follow one another are one step, which counts them.
 *
 * @param events of the queue of the run, latest first, as the API lists them.
 */
export function stepsOf(events: readonly LoggedEvent[], run: string): Step[] {
  const steps: (Step & { counts?: Map<string, number> })[] = [];
  for (const { position, time, name, stream, data } of events.toReversed()) {
    if (!isOf(run, stream, data)) continue;
    const words = wordsOf(name);
    if (!ofVictims.test(name)) {
      steps.push({ position, time, text: words });
      continue;
    }
    let step = steps.at(-1);
    if (!step?.counts) {
      step = { position, time, text: '', counts: new Map() };
      steps.push(step);
    }
    step.counts!.set(words, (step.counts!.get(words) ?? 0) + 1);
    step.text = [...step.counts!]
      .map(([what, count]) => (count === 1 ? what : `${what} × ${count}`))
      .join(', ');
  }
  return steps.map(({ position, time, text }) => ({ position, time, text }));
}

function isOf(run: string, stream: string, data: unknown): boolean {
  return stream.endsWith(`-${run}`) || (data as { enforcement?: unknown } | null)?.enforcement === run;
}

/** `PlanComputed` as `Plan computed`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
