import type { PastEviction } from '../past-evictions.js';
import type { EvictionOutcome, Evictor, RequestToAgent } from '../port.js';
import { refused } from '../refused.js';
import { remember } from '../remember.js';
import { appOf, isMaster } from './answers.js';
import { ContainerSignals, pauseMs, type Signal } from './container-signals.js';
import { listContainers } from './look.js';
import type { YarnApi } from './yarn-api.js';
import { YarnError } from './yarn-error.js';

export interface ContainerEvictorOptions {
  /** `observe`: nothing is signalled, and every request is refused. */
  mode: () => 'observe' | 'enforce';
  evictsMasters: () => boolean;
  /** Whether an application is killed of which all containers are victims. */
  killsApplications: () => boolean;
  /** The queue that the container counts in, as far as known. */
  queueOf: (container: string) => string | undefined;
  /** The current attempt of an application, which also has containers that an earlier one left; undefined: not known. */
  attemptOf: (app: string) => string | undefined;
  /** Whether lists can be believed in which something is missing: those of a manager that was started again are short at first. */
  isRecovered: () => Promise<boolean>;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  onTrouble: (what: string, error: Error) => void;
}

/** How old the list may be that a container is looked up in right before its signal. */
const listHoldsMs = 250;
const laterRetryMs = 5000;
const mostRecalled = 100_000;
const mostLists = 1000;
/** Codes of errors after which a signal has certainly not been sent. */
const unsent = new Set(['unreachable', 'redirected']);

/** The application of a container, and its attempt. */
type Place = NonNullable<ReturnType<typeof appOf>>;

interface Listed {
  askedAt: number;
  containers: Promise<ReadonlySet<string> | undefined>;
}

/** Ends containers by signals: SIGTERM at first, and SIGKILL once the notice is over. */
export class ContainerEvictor implements Evictor {
  readonly signals = new ContainerSignals();
  private readonly lists = new Map<string, Listed>();
  /** Containers that an agent before this one has signalled, and their grace periods, until a look shows them running. */
  private readonly recalled = new Map<string, number>();
  /**
   * Containers whose signal was not answered, and when it may be sent again: it may have arrived or not. Only a request of Curtail sends it, and
   * until it is answered nothing follows it.
   */
  private readonly unanswered = new Map<string, number>();
  /** Requests by container, until they have an outcome. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(
    private readonly api: YarnApi,
    private readonly options: ContainerEvictorOptions,
  ) {}

  /**
   * Signals exactly the observed container; ids are never used again. Right before, a fresh list must have it.
   *
   * @throws YarnError if it is not known whether the signal was sent. A repetition looks whether the container still runs.
   */
  async evict(request: RequestToAgent, isValid = () => true): Promise<EvictionOutcome> {
    const { allocation, uid, queue } = request;
    if (this.options.mode() === 'observe') {
      return refused(false, 'observe', 'the agent of this cluster only observes');
    }
    const place = appOf(allocation);
    if (place === undefined)
      return refused(false, 'no-container', `${allocation} names no container of YARN`);
    if (uid !== undefined && uid !== allocation) return { answer: 'other-incarnation', uid: allocation };
    if (isMaster(allocation) && !this.options.evictsMasters()) {
      const message = `${allocation} is the container of an application master, with which all containers of its attempt would end`;
      return refused(false, 'protected', message);
    }
    const now = this.options.queueOf(allocation);
    if (now !== undefined && now !== queue.toLowerCase()) {
      return refused(true, 'moved', `${allocation} counts in ${now} by now, not in ${queue}`);
    }
    // The same request may arrive twice.
    while (this.underWay.has(allocation)) await this.underWay.get(allocation);
    if (this.signals.has(allocation) || this.recalled.has(allocation)) {
      return { answer: 'accepted', repeated: true };
    }
    const outcome = this.signal(request, place, isValid);
    const end = () => this.underWay.delete(allocation);
    this.underWay.set(allocation, outcome.then(end, end));
    return outcome;
  }

  private async signal(
    { allocation, graceSeconds }: RequestToAgent,
    place: Place,
    isValid: () => boolean,
  ): Promise<EvictionOutcome> {
    // Whether all containers of its application are victims shows once the signals of those before it are answered.
    if (isMaster(allocation) && this.options.killsApplications()) await this.othersAnswered(place);
    if (!(await this.runs(allocation, place))) return this.gone(allocation);
    if (!isValid())
      throw new YarnError('request-expired', `the request to evict ${allocation} is no longer valid`);
    const now = this.options.elapsed();
    if (now < (this.unanswered.get(allocation) ?? now)) {
      throw new YarnError(
        'no-answer',
        `YARN has not answered the signal for ${allocation}, which still runs: it is not sent again yet`,
      );
    }
    const signal = this.signals.firstFor(graceSeconds);
    const kills = isMaster(allocation) && (await this.isWholeVictim(allocation, place));
    const { status, body } = await (kills ? this.kill(place.app) : this.send(allocation, signal)).catch(
      (error: unknown) => {
        if (error instanceof YarnError && !unsent.has(error.code)) {
          remember(this.unanswered, allocation, now + pauseMs.first, mostRecalled);
        }
        throw error;
      },
    );
    this.unanswered.delete(allocation);
    if (status === 200 || (kills && status === 202)) {
      this.signals.note(allocation, graceSeconds, this.options.elapsed());
      return { answer: 'accepted' };
    }
    // YARN answers 500 for one that is gone as well as for its own errors: the list tells which.
    this.lists.delete(place.app);
    if (status === 500 && !(await this.runs(allocation, place))) return this.gone(allocation);
    const { message } = kills
      ? this.api.refusal('PUT', `/apps/${place.app}/state`, status, body)
      : this.api.refusal('POST', pathOf(allocation, signal), status, body);
    return refused(status >= 500, status === 403 ? 'forbidden' : 'failed', message, laterRetryMs);
  }

  /** Asked after the list without it. @throws YarnError if the list may be short. */
  private async gone(container: string): Promise<EvictionOutcome> {
    if (await this.options.isRecovered()) return { answer: 'gone' };
    throw new YarnError(
      'recovering',
      `YARN was started again, and may not show ${container} yet: that it is not listed does not mean that it has ended`,
    );
  }

  /**
   * Continues an eviction of an agent before this one: no signal is sent until the whole notice is over once more, since it is not known how much of
   * it has passed.
   */
  recall({ allocation, graceSeconds }: PastEviction): void {
    if (appOf(allocation) === undefined || this.signals.has(allocation)) return;
    if (isMaster(allocation) && !this.options.evictsMasters()) return;
    remember(this.recalled, allocation, graceSeconds, mostRecalled);
  }

  /** YARN has no way to tell a container: its owner reads the announcement from Curtail. */
  async announce(): Promise<void> {}

  /** Whether there are containers to follow up. */
  get hasSignalled(): boolean {
    return this.signals.size > 0 || this.recalled.size > 0;
  }

  /**
   * Sends the signals that are due: the forceful one after the notice, and again to those that stay.
   *
   * @param running the containers of a fresh look.
   * @param isShort whether its list of an application may lack some: what is missing there has not ended.
   */
  async followUp(running: ReadonlySet<string>, isShort = (_app: string) => false): Promise<void> {
    this.signals.keepOnly((container) => running.has(container) || isShort(appOf(container)?.app ?? ''));
    for (const [container, graceSeconds] of this.recalled) {
      // The list of a manager that was started again is short at first: another look may show it.
      if (!running.has(container)) continue;
      this.recalled.delete(container);
      if (!this.signals.has(container)) this.signals.note(container, graceSeconds, this.options.elapsed());
    }
    if (this.options.mode() === 'observe') return;
    for (const { container, signal } of this.signals.due(running, this.options.elapsed())) {
      const place = appOf(container);
      this.lists.delete(place?.app ?? '');
      try {
        if (place === undefined || !(await this.runs(container, place))) continue;
        this.signals.repeated(container, signal, this.options.elapsed());
        await this.send(container, signal);
      } catch (error) {
        this.options.onTrouble('Could not signal a container again; it is tried later', error as Error);
      }
    }
  }

  /** Whether every container of an application was asked to end, by the list that the last check has read. */
  private async isWholeVictim(master: string, { app }: Place): Promise<boolean> {
    if (!this.options.killsApplications()) return false;
    const containers = await this.lists.get(app)?.containers;
    return (
      containers?.has(master) === true &&
      [...containers].every((container) => container === master || this.signals.has(container))
    );
  }

  /** Resolves when the requests for containers of an application that are under way have an outcome. Masters wait for no other masters. */
  private async othersAnswered({ app }: Place): Promise<void> {
    const ofTasks = [...this.underWay].filter(([id]) => appOf(id)?.app === app && !isMaster(id));
    await Promise.all(ofTasks.map(([, outcome]) => outcome));
  }

  private kill(app: string) {
    return this.api.call('PUT', `/apps/${app}/state`, { state: 'KILLED' });
  }

  private send(container: string, signal: Signal) {
    return this.api.call('POST', pathOf(container, signal));
  }

  private async runs(container: string, { app, attempt }: Place): Promise<boolean> {
    const now = this.options.elapsed();
    let list = this.lists.get(app);
    if (list === undefined || now - list.askedAt > listHoldsMs) {
      list = { askedAt: now, containers: this.list(app, this.options.attemptOf(app) ?? attempt) };
      remember(this.lists, app, list, mostLists);
      list.containers.catch(() => this.lists.delete(app));
    }
    const containers = await list.containers;
    if (containers === undefined) {
      throw new YarnError('no-answer', `YARN does not list the containers of ${app} at the moment`);
    }
    return containers.has(container);
  }

  /** undefined: YARN does not know them now, which does not mean that none run. */
  private async list(app: string, attempt: string): Promise<ReadonlySet<string> | undefined> {
    const containers = await listContainers(this.api, app, attempt);
    if (containers !== undefined) return new Set(containers.map(({ id }) => id));
    const path = `/apps/${app}`;
    const { status, body } = await this.api.call('GET', path);
    const state = (body as { app?: { state?: unknown } } | undefined)?.app?.state;
    const hasEnded = status === 404 || ['FINISHED', 'FAILED', 'KILLED'].includes(String(state));
    return hasEnded ? new Set() : undefined;
  }
}

const pathOf = (container: string, signal: Signal): string => `/containers/${container}/signal/${signal}`;
