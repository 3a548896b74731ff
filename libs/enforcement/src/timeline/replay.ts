import type { DomainEvent, ReadDecreaseSettings, Resources } from '#contracts';
import type { ClockCommand } from '../clock/commands.js';
import { decideClock } from '../clock/decide.js';
import { type ClockState, evolveClock, initialClockState, type RunUnderWay } from '../clock/state.js';
import { writeOffset } from './fields.js';
import { readTimeline, type Timeline, type TimelineEvent, type TimelineStep } from './read.js';

/** docs/reference/snapshot.md, "Timeline": times in the form of the input. */
export interface TimelineResult {
  dueAt: string | null;
  dueAtSteps: (string | null)[];
  /** Whether the last check started an enforcement; false without a check. */
  started: boolean;
  /** Per step, null where the step was no check. */
  startedAtSteps: (boolean | null)[];
  /** Always false: nothing stops a run of this policy. */
  runInterrupted: false;
}

/** The clock of one queue, step by step, through the decider of the service. Throws InputError. */
export function replayTimeline(input: unknown): TimelineResult {
  const timeline = readTimeline(input);
  const clock = new ReplayedClock(timeline);
  const startedAtSteps = [];
  const dueAtSteps = [];
  for (const step of timeline.steps) {
    startedAtSteps.push(clock.take(step));
    dueAtSteps.push(clock.dueAt());
  }
  return {
    dueAt: clock.dueAt(),
    dueAtSteps,
    started: startedAtSteps.findLast((started) => started !== null) ?? false,
    startedAtSteps,
    runInterrupted: false,
  };
}

/**
 * The state of the schedule decider, plus the outside facts of a timeline: the usage, the settings, and runs that no
 * check started. Such a run is in progress at the steps that name it; in between it is set aside, so that
 * `enforcement-finished` still ends it, with the changes that it kept from the clock.
 */
class ReplayedClock {
  private state: ClockState;
  private usage: Resources;
  private settings: ReadDecreaseSettings;
  private readonly dynamic: boolean;
  private flagged = false;
  private setAside: RunUnderWay | undefined;
  private runs = 0;

  constructor({ queue, initial, settings }: Timeline) {
    const { values, dueAt, usage, dynamic } = initial;
    this.usage = usage;
    this.settings = settings;
    this.dynamic = dynamic;
    const state = { ...initialClockState('default', queue), values };
    const pending = { enforcement: 'initial', generation: 1, dueAt: dueAt ?? '', suspended: false };
    this.state = dueAt === undefined || dynamic ? state : { ...state, generation: 1, pending };
  }

  dueAt(): string | null {
    return this.state.pending ? writeOffset(this.state.pending.dueAt) : null;
  }

  /** One step, its effects in the order of the contract. Returns whether its check started a run, null without one. */
  take(step: TimelineStep): boolean | null {
    if (step.usage) this.usage = step.usage;
    this.takeRunning(step);
    if (step.settings) this.takeSettings(step.at, step.settings);
    if (step.config && step.event !== 'restart') this.takeConfig(step.at, step.config);
    if (step.event) this.takeEvent(step, step.event);
    return step.checkAt === undefined ? null : this.takeCheck(step.checkAt);
  }

  private takeRunning({ at, running }: TimelineStep): void {
    // A dynamic queue has no clock and no run, whatever a step has (docs/reference/policies/quota-decrease.md §3.7).
    if (this.dynamic) return;
    const { running: inProgress, ...idle } = this.state;
    if (running === true && !inProgress) {
      this.state = { ...idle, pending: undefined, running: this.setAside ?? this.newRun(at) };
      this.setAside = undefined;
      this.flagged = true;
    } else if (running === false) {
      this.finish(at);
    } else if (running === undefined && inProgress && this.flagged) {
      this.setAside = inProgress;
      this.state = idle;
    }
  }

  private newRun(at: string): RunUnderWay {
    return {
      enforcement: this.nextName(),
      fencingToken: this.runs,
      startedAt: at,
      firedWith: this.state.values,
      changeSkipped: false,
    };
  }

  private takeSettings(at: string, settings: ReadDecreaseSettings): void {
    const wasOn = this.enabled();
    this.settings = settings;
    const on = this.enabled();
    if (on !== wasOn) this.decide({ kind: 'turn-switch', at, on });
  }

  private takeConfig(at: string, current: NonNullable<TimelineStep['config']>): void {
    this.decide({ ...this.starting(at), kind: 'change-quota', previous: this.state.values, current });
  }

  private takeEvent(step: TimelineStep, event: TimelineEvent): void {
    const starting = this.starting(step.at);
    switch (event) {
      case 'restart': {
        const { onRestart } = this.settings;
        const found = step.config;
        this.decide({ ...starting, kind: 'restart', onRestart, ...(found && { found }) });
        break;
      }
      case 'enforcement-finished':
        this.finish(step.at);
        break;
      case 'allocation-forced':
      case 'allocation-resized':
        this.decide({ ...starting, kind: 'exceed-quota', how: event });
        break;
    }
  }

  private finish(at: string): void {
    if (this.setAside && !this.state.running && !this.state.pending) {
      this.state = { ...this.state, running: this.setAside };
    }
    this.setAside = undefined;
    this.flagged = false;
    const enforcement = this.state.running?.enforcement;
    if (enforcement === undefined) return;
    const { afterRun } = this.settings;
    this.decide({
      ...this.starting(at),
      kind: 'end-run',
      enforcement,
      cause: 'ended',
      afterRun,
      inFlight: {},
    });
  }

  private takeCheck(at: string): boolean {
    const events = this.decide({
      kind: 'check',
      at,
      enabled: this.enabled(),
      ancestorRuns: false,
      dynamic: this.dynamic,
      usage: this.usage,
      inFlight: {},
      fencingToken: this.runs + 1,
    });
    const started = events.some((event) => event.name === 'EnforcementStarted');
    if (started) {
      // The run of this check replaces one that a step named before, until it is finished.
      this.flagged = false;
      this.setAside = undefined;
    }
    return started;
  }

  private enabled(): boolean {
    return this.settings.quotaPreemptionEnabled ?? false;
  }

  private starting(at: string) {
    const { timerPolicy } = this.settings;
    const { usage, dynamic } = this;
    return { at, newEnforcement: this.nextName(), enabled: this.enabled(), timerPolicy, usage, dynamic };
  }

  private nextName(): string {
    this.runs += 1;
    return `enforcement-${this.runs}`;
  }

  private decide(command: ClockCommand): DomainEvent[] {
    const events = decideClock(command, this.state);
    this.state = events.reduce(evolveClock, this.state);
    return events;
  }
}
