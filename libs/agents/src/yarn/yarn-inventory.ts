import type { Resources } from '#contracts';
import type { AllocationReport, ApplicationReport, ReportedItems } from '../inventory-changes.js';
import { PolledInventory } from '../polled-inventory.js';
import { isMaster, keyOf, type YarnContainer, type YarnQueues } from './answers.js';
import type { AppView, Look } from './look.js';
import { ApplicationQueues } from './places.js';

export interface YarnInventoryOptions {
  evictsMasters: () => boolean;
  /** Whether a container was asked to end. */
  isEnding: (container: string) => boolean;
}

/** Sizes of pending requests of one application in a report. */
const mostSizes = 1000;

/** Reports of the containers of an application, and what they were made from. */
interface Shown {
  containers: readonly YarnContainer[];
  /** All else that counts in them. */
  key: string;
  reports: AllocationReport[];
}

/** The inventory of a partition, as looks show it, with the changes since the last report. */
export class YarnInventory extends PolledInventory {
  /** By application. */
  private shown = new Map<string, Shown>();
  /** Of a look that is under way. */
  private readonly prepared = new Map<string, Shown>();
  private places: { queues: YarnQueues; of: ApplicationQueues } | undefined;

  constructor(private readonly options: YarnInventoryOptions) {
    super();
  }

  /** Makes the reports of one application while a look waits for other answers. `show` takes those that still are right. */
  prepare(view: Pick<AppView, 'app' | 'containers'>, queues: YarnQueues): void {
    this.prepared.set(view.app.id, this.reportsOf(view, this.placesIn(queues).of(view.app.queue)));
  }

  private placesIn(queues: YarnQueues): ApplicationQueues {
    if (this.places?.queues !== queues) this.places = { queues, of: new ApplicationQueues(queues.queues) };
    return this.places.of;
  }

  /** @param compared the amounts that limits are for. */
  show(look: Look, compared: (amounts: Resources) => Resources = (amounts) => amounts): void {
    const places = this.placesIn(look.queues);
    replace(
      this.nodes,
      look.nodes.map(({ id, capacity }) => ({ id, capacity: compared(capacity) })),
    );
    const views = [...look.apps.values()];
    replace(
      this.applications,
      views.map((view) => applicationOf(view, places)),
    );
    this.showContainers(
      new Map(views.map((view) => [view.app.id, this.reportsOf(view, places.of(view.app.queue))])),
    );
    this.prepared.clear();
  }

  /** Only what is not as it was: most looks of a large cluster change little. */
  private showContainers(shown: Map<string, Shown>): void {
    for (const [app, before] of this.shown) {
      const now = shown.get(app);
      if (now === before) continue;
      const there = new Set(now?.reports.map(({ id }) => id));
      for (const { id } of before.reports) if (!there.has(id)) this.allocations.delete(id);
    }
    for (const [app, now] of shown) {
      if (now === this.shown.get(app)) continue;
      for (const report of now.reports) this.allocations.set(report);
    }
    this.shown = shown;
  }

  private reportsOf({ app, containers }: Pick<AppView, 'app' | 'containers'>, queue: string): Shown {
    const evictsMasters = this.options.evictsMasters();
    const ending = new Set(containers.filter(({ id }) => this.options.isEnding(id)).map(({ id }) => id));
    const key = JSON.stringify([queue, app.priority, app.submittedAt, evictsMasters, ...ending]);
    for (const known of [this.prepared.get(app.id), this.shown.get(app.id)]) {
      if (known?.containers === containers && known.key === key) return known;
    }
    const reports = containers.map(({ id, node, resources, startedAt }): AllocationReport => {
      const master = isMaster(id);
      const report: AllocationReport = {
        id,
        uid: id,
        application: app.id,
        queue,
        node,
        resources,
        priority: app.priority,
        startedAt: new Date(startedAt || app.submittedAt).toISOString(),
        role: master ? 'originator' : 'task',
        state: ending.has(id) ? 'releasing' : 'running',
      };
      // Not by a spread, which would take as long as all else.
      if (master && !evictsMasters) report.protected = true;
      return report;
    });
    return { containers, key, reports };
  }
}

function applicationOf(view: AppView, places: ApplicationQueues): ApplicationReport {
  const { id, queue, user, priority, submittedAt } = view.app;
  return {
    id,
    queue: places.of(queue),
    user,
    priority,
    submittedAt: new Date(submittedAt).toISOString(),
    pending: settledPending(view),
  };
}

/** What an application waits for, as far as looks in a row show it. */
export const settledPending = ({ app, demand }: AppView): { resources: Resources; count: number }[] =>
  app.pending
    .map(({ resources }) => ({ resources, count: demand.get(keyOf(resources))?.waiting ?? 0 }))
    .filter(({ count }) => count > 0)
    .slice(0, mostSizes);

function replace<T extends { id: string }>(reported: ReportedItems<T>, things: readonly T[]): void {
  const there = new Set(things.map(({ id }) => id));
  for (const { id } of [...reported.values()]) if (!there.has(id)) reported.delete(id);
  for (const thing of things) reported.set(thing);
}
