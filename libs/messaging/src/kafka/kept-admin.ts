import type { Admin } from 'kafkajs';
import { leave } from './ends-within.js';
import type { KafkaConnection } from './open-kafka.js';

/** An admin client that connects on first use. After `close` the next call connects a new one. */
export class KeptAdmin {
  private admin: Promise<Admin> | undefined;

  constructor(private readonly connection: KafkaConnection) {}

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
}
