import type { Admin } from 'kafkajs';
import { leave } from './ends-within.js';
import type { KafkaConnection } from './open-kafka.js';
import { askWhile, moving, movingOrNew, usualPausesMs } from './while-moving.js';

/** An admin client that connects on first use. After `close` the next request connects a new one. */
export class KeptAdmin {
  private admin: Promise<Admin> | undefined;

  /** @param pausesMs its pauses while it waits for leaders. */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly pausesMs = usualPausesMs,
  ) {}

  /**
   * Waits for the leaders of partitions that are new or moving: the requests may be made several times.
   *
   * @throws the error of the broker, or of the connection.
   */
  ask<T>(requests: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askWhile(moving, requests);
  }

  /**
   * As `ask`, about topics that were listed: also waits for brokers that do not know them yet.
   *
   * @throws the error of the broker, or of the connection.
   */
  askOfListed<T>(requests: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askWhile(movingOrNew, requests);
  }

  connected(): Promise<Admin> {
    this.admin ??= (async () => {
      const admin = this.connection.admin();
      await admin.connect();
      return admin;
    })();
    return this.admin;
  }

  async close(): Promise<void> {
    const { admin } = this;
    this.admin = undefined;
    await leave(admin);
  }

  private askWhile<T>(passing: ReadonlySet<string>, requests: (admin: Admin) => Promise<T>): Promise<T> {
    return askWhile(
      passing,
      async () => requests(await this.connected()),
      () => this.close(),
      this.pausesMs,
    );
  }
}
