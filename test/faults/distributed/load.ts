import { setTimeout as delay } from 'node:timers/promises';
import type { Decrease, Tree } from './tree.js';

const tickMs = 500;
/** While the way to a server is blocked, an answer may take as long as that. */
const answerWithinMs = 15_000;

/**
 * Lowers queues of a tree at a steady rate, by one configuration after the other, until it is stopped.
 *
 * A decrease counts as accepted when a configuration with it was answered with success. A configuration without an answer is
 * sent again, and no queue is lowered meanwhile: so each decrease is one change of one queue, whatever became of the first try.
 */
export class Load {
  readonly accepted: Decrease[] = [];
  private unanswered: Decrease[] = [];
  private stopping = false;
  private running: Promise<void> | undefined;
  private lastTrouble = '';
  /** All that are in force; the last one is lowered. */
  private readonly trees: Tree[];

  constructor(
    private readonly options: {
      tree: Tree;
      perSecond: number;
      /** Where configurations go. */
      url: string;
    },
  ) {
    this.trees = [options.tree];
  }

  /** Lowers the queues of this tree from now on. Those of the trees before stay as they are. */
  goOnWith(tree: Tree): void {
    this.trees.push(tree);
  }

  /** Brings the tree into force as it is. */
  async begin(): Promise<void> {
    while (!(await this.submit())) await delay(tickMs);
    this.running = this.run();
    // Set by `stop`.
    this.running.catch(() => {});
  }

  /** Resolves when all that was sent is accepted. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
    for (let tries = 0; !(await this.submit()); tries++) {
      if (tries > 60) throw new Error(`configurations are not accepted any more: ${this.lastTrouble}`);
      await delay(tickMs);
    }
  }

  private async run(): Promise<void> {
    const { perSecond } = this.options;
    let owed = 0;
    for (let next = Date.now(); !this.stopping; next += tickMs) {
      owed = Math.min(owed + (perSecond * tickMs) / 1000, 2 * perSecond);
      if (this.unanswered.length === 0) {
        this.unanswered = this.trees.at(-1)!.lower(Math.floor(owed));
        owed -= Math.floor(owed);
      }
      if (this.unanswered.length > 0) await this.submit();
      await delay(Math.max(0, next + tickMs - Date.now()));
    }
  }

  private async submit(): Promise<boolean> {
    const { url } = this.options;
    const top = { name: 'root', queues: this.trees.map((tree) => tree.configuration()) };
    const body = {
      partitions: [{ name: 'default', preemption: { quotapreemptionenabled: true }, queues: [top] }],
    };
    const answer = await fetch(`${url}/v1/partitions/default/config?removeQueues=true`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerWithinMs),
    }).catch((error: Error) => {
      this.lastTrouble = error.message;
      return undefined;
    });
    const text = await answer?.text().catch(() => undefined);
    if (!answer || text === undefined) return false;
    if (!answer.ok) {
      this.lastTrouble = `${answer.status} ${text}`;
      if (answer.status >= 500) return false;
      throw new Error(`the configuration was not accepted: ${this.lastTrouble}`);
    }
    this.accepted.push(...this.unanswered);
    this.unanswered = [];
    return true;
  }
}
