import type { Look } from './look.js';

/** How long lists of a manager that was started again are doubted at most, in milliseconds. */
const longestMs = 120_000;

/**
 * Whether lists may be short because the manager was started again: applications and nodes come back one after another, while their containers
 * run on. Pure; one object follows the looks of one cluster.
 */
export class Recovery {
  private startedOn: number | undefined;
  private nodes = 0;
  private since: number | undefined;
  private lastCount: number | undefined;

  /** @returns whether this look may be believed. */
  take({ info, nodes, apps, begunAt }: Look): boolean {
    const count = [...apps.values()].reduce((sum, { containers }) => sum + containers.length, 0);
    if (this.startedOn !== undefined && this.startedOn !== info.startedOn) {
      this.since = begunAt;
      this.lastCount = undefined;
    }
    this.startedOn = info.startedOn;
    if (this.since === undefined) {
      this.nodes = nodes.length;
      return true;
    }
    // Nodes bring their containers with them: when none is missing and nothing more comes, all is there.
    const isComplete = nodes.length >= this.nodes && this.lastCount !== undefined && count <= this.lastCount;
    this.lastCount = count;
    if (!isComplete && begunAt - this.since < longestMs) return false;
    this.since = undefined;
    this.nodes = nodes.length;
    return true;
  }
}
