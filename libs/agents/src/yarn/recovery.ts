import type { Look } from './look.js';

/** How long lists of a manager that was started again are doubted at most, in milliseconds. */
const longestMs = 120_000;

/**
 * Whether lists may be short because the manager was started again: applications and nodes come back one after another, while their containers
 * run on. Pure; one object follows the looks of one cluster.
 */
export class Recovery {
  private startedOn: number | undefined;
  private since: number | undefined;
  /** What has to come back; undefined: not known, since the agent was started after the manager. */
  private believed: Look | undefined;
  /** The one before, while the manager recovers. */
  private last: Look | undefined;

  /**
   * @param uptimeMs how long the manager has run; it counts at the first look, of work that is older than the manager.
   * @returns whether this look may be believed.
   */
  take(look: Look, uptimeMs = longestMs): boolean {
    const { info, begunAt } = look;
    const isFirst = this.startedOn === undefined;
    if (isFirst ? hasOlderWork(look) : this.startedOn !== info.startedOn) {
      this.since = isFirst ? begunAt - uptimeMs : begunAt;
      this.last = undefined;
    }
    this.startedOn = info.startedOn;
    if (this.since !== undefined && begunAt - this.since < longestMs && !this.isComplete(look)) {
      this.last = look;
      return false;
    }
    [this.since, this.last, this.believed] = [undefined, undefined, look];
    return true;
  }

  /** Nodes bring their containers with them: when no node is missing, and nothing more comes, all is there. */
  private isComplete({ info, nodes, apps }: Look): boolean {
    const { believed, last } = this;
    if (believed === undefined || last === undefined) return false;
    if (nodes.length < believed.nodes.length || nodes.length !== last.nodes.length) return false;
    const [before, known] = [idsOf(last), idsOf(believed)];
    const comesBack = (id: string, startedAt: number) =>
      !before.has(id) && (known.has(id) || startedAt < info.startedOn);
    return ![...apps.values()].some(({ containers, missed }) =>
      containers.some(({ id, startedAt }) => comesBack(id, startedAt) && !missed?.includes(id)),
    );
  }
}

/** Whether there is work that the manager had to recover. */
export const hasOlderWork = ({ info, apps }: Look): boolean =>
  [...apps.values()].some(({ app }) => app.submittedAt < info.startedOn);

/** Of all listed containers. */
const idsOf = ({ apps }: Look): Set<string> =>
  new Set(
    [...apps.values()].flatMap(({ containers, missed }) =>
      containers.map(({ id }) => id).filter((id) => !missed?.includes(id)),
    ),
  );
