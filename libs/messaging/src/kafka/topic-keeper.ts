import { CurtailError } from '#contracts';
import { type EnsureOptions, ensureTopics, type TopicReport } from './ensure-topics.js';
import type { KafkaConnection } from './open-kafka.js';
import type { TopicPlan } from './topics.js';

/** Checks the topics once, for the first caller of a process; after a failure again. */
export class TopicKeeper {
  private checking: Promise<TopicReport> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: EnsureOptions & {
      topics: readonly TopicPlan[];
      onReport?: (report: TopicReport) => void;
    },
  ) {}

  /**
   * @param topics of the catalog that the caller needs; default: all.
   * @throws Error that names the missing ones.
   */
  async ready(topics: readonly string[] = this.options.topics.map(({ topic }) => topic)): Promise<void> {
    this.checking ??= this.check();
    const { checking } = this;
    try {
      const { missing } = await checking;
      const needed = topics.flatMap(this.connection.topicNames).filter((name) => missing.includes(name));
      if (needed.length > 0) throw new MissingTopics(needed, this.options.manage ?? true);
    } catch (error) {
      // A caller that retried meanwhile has begun again already.
      if (this.checking === checking) this.forget();
      throw error;
    }
  }

  /** Makes the next caller check again: a topic may be gone. */
  forget(): void {
    this.checking = undefined;
  }

  private async check(): Promise<TopicReport> {
    const { topics, onReport, ...options } = this.options;
    const report = await ensureTopics(this.connection, topics, options);
    onReport?.(report);
    return report;
  }
}

class MissingTopics extends CurtailError {
  readonly code = 'missing-topics';

  constructor(topics: string[], manage: boolean) {
    const remedy = manage ? 'or create it' : 'or create it: Curtail does not manage topics';
    super(
      `there is no topic ${topics.join(', ')}, or this user may not see it: give it the right (READ for a consumer, WRITE for ` +
        `the relay; docs/how-to/kafka.md, "Rights"), ${remedy}`,
    );
  }
}
