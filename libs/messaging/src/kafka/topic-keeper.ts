import { ensureTopics, type TopicReport } from './ensure-topics.js';
import type { KafkaConnection } from './open-kafka.js';
import type { TopicPlan } from './topics.js';

/** Looks after the topics once, whoever of a process asks first; after a failure again. */
export class TopicKeeper {
  private looking: Promise<void> | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: {
      topics: readonly TopicPlan[];
      manage?: boolean;
      onReport?: (report: TopicReport) => void;
    },
  ) {}

  /** @throws Error that says what is missing. */
  readonly ready = (): Promise<void> => {
    this.looking ??= this.look().catch((error: unknown) => {
      this.looking = undefined;
      throw error;
    });
    return this.looking;
  };

  /** Have it looked again: a topic may be gone. */
  readonly forget = (): void => {
    this.looking = undefined;
  };

  private async look(): Promise<void> {
    const { topics, onReport, ...options } = this.options;
    const report = await ensureTopics(this.connection, topics, options);
    onReport?.(report);
  }
}
