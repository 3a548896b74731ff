import { type DomainEvent, type QuotaValues, type Resources } from '#contracts';
import { catalog } from '#contracts/events';
import type {
  CancelPending,
  ChangeQuota,
  CheckDueClock,
  ClockCommand,
  EndRun,
  ExceedQuota,
  Reconcile,
  RequestClock,
  Restart,
} from '../src/clock/commands.js';
import { decideClock } from '../src/clock/decide.js';
import { type ClockState, evolveClock, initialClockState } from '../src/clock/state.js';
import { addMs } from '../src/instants.js';
import type { Frozen, Stop } from '../src/run/control.js';
import { withoutSubject } from './without-subject.js';

/** Seconds after the beginning of a test, as an instant. */
export const atSecond = (seconds: number) => addMs('2026-11-21T10:00:00.000Z', seconds * 1000);

export const values = (memory: number | Resources | null, delaySeconds: number): QuotaValues => ({
  max: typeof memory === 'number' ? { memory } : memory,
  delayMs: delaySeconds * 1000,
});

/**
 * The clock of `root.a` in a test: commands with what they need at least, decided and applied one after the other. Every
 * event is checked against the catalog, as the store does.
 */
export class Scenario {
  state: ClockState;
  private ids = 0;

  constructor(inForce: QuotaValues = { max: null, delayMs: 0 }) {
    this.state = { ...initialClockState('default', 'root.a'), values: inForce };
  }

  decide(command: ClockCommand): DomainEvent[] {
    const events = decideClock(command, this.state);
    for (const event of events) catalog[event.name].schema.parse(event.data);
    const unnamed = events.flatMap(withoutSubject);
    if (unnamed.length > 0) throw new Error(`a notice does not name its subject: ${unnamed.join(', ')}`);
    const notices = events.flatMap(({ data }) => ('notices' in data ? data.notices : []));
    const uneven = notices.find(({ message }) => message.includes('  '));
    if (uneven) throw new Error(`a notice has two spaces in a row: ${uneven.message}`);
    this.state = events.reduce(evolveClock, this.state);
    return events;
  }

  change(at: number, current: QuotaValues, more: Partial<ChangeQuota> = {}): DomainEvent[] {
    const previous = this.state.values;
    return this.decide({ ...this.starting(at), kind: 'change-quota', previous, current, ...more });
  }

  check(at: number, memory: number, more: Partial<CheckDueClock> = {}): DomainEvent[] {
    return this.decide({
      kind: 'check',
      at: atSecond(at),
      enabled: true,
      ancestorRuns: false,
      dynamic: false,
      usage: { memory },
      inFlight: {},
      fencingToken: 7,
      ...more,
    });
  }

  endRun(at: number, memory: number, more: Partial<EndRun> = {}): DomainEvent[] {
    return this.decide({
      ...this.starting(at),
      kind: 'end-run',
      enforcement: this.state.running?.enforcement ?? 'none',
      cause: 'ended',
      afterRun: 'reschedule',
      usage: { memory },
      inFlight: {},
      ...more,
    });
  }

  turnSwitch(at: number, on: boolean, stop?: Stop): DomainEvent[] {
    return this.decide({ kind: 'turn-switch', at: atSecond(at), on, ...(stop && { stop }) });
  }

  reconcile(at: number, memory: number, more: Partial<Reconcile> = {}): DomainEvent[] {
    return this.decide({
      ...this.starting(at),
      kind: 'reconcile',
      reconcile: 'notify',
      observed: false,
      usage: { memory },
      inFlight: {},
      ...more,
    });
  }

  restart(at: number, more: Partial<Restart> = {}): DomainEvent[] {
    return this.decide({ ...this.starting(at), kind: 'restart', onRestart: 'keep', ...more });
  }

  exceed(at: number, memory: number, more: Partial<ExceedQuota> = {}): DomainEvent[] {
    return this.decide({
      ...this.starting(at),
      kind: 'exceed-quota',
      how: 'allocation-forced',
      timerPolicy: 'shift',
      usage: { memory },
      ...more,
    });
  }

  removeQueue(at: number): DomainEvent[] {
    return this.decide({ kind: 'remove-queue', at: atSecond(at) });
  }

  request(at: number, memory: number, more: Partial<RequestClock> = {}): DomainEvent[] {
    return this.decide({
      ...this.starting(at),
      kind: 'request-run',
      atOnce: false,
      usage: { memory },
      inFlight: {},
      ...more,
    });
  }

  cancel(at: number, more: Partial<CancelPending> = {}): DomainEvent[] {
    const enforcement = this.state.pending?.enforcement ?? 'none';
    return this.decide({ kind: 'cancel-pending', at: atSecond(at), enforcement, by: 'ann', ...more });
  }

  reviewFreeze(at: number, frozen?: Frozen): DomainEvent[] {
    return this.decide({ kind: 'review-freeze', at: atSecond(at), frozen });
  }

  /** The pending due time in seconds after the beginning, null if nothing is pending. */
  get due(): number | null {
    const dueAt = this.state.pending?.dueAt;
    return dueAt === undefined ? null : (Date.parse(dueAt) - Date.parse(atSecond(0))) / 1000;
  }

  private starting(at: number) {
    this.ids += 1;
    const newEnforcement = `e${this.ids}`;
    return {
      at: atSecond(at),
      newEnforcement,
      enabled: true,
      timerPolicy: 'restart' as const,
      usage: { memory: 80 },
    };
  }
}

/** Name and cause of each event. */
export function summarize(events: DomainEvent[]): string[] {
  return events.map(({ name, data }) => ('cause' in data ? `${name} ${data.cause}` : name));
}

export function noticeCodes(events: DomainEvent[]): string[] {
  return events.flatMap(({ data }) => ('notices' in data ? data.notices.map((notice) => notice.code) : []));
}
