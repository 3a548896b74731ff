import { Client } from 'pg';

/** Runs one statement on a connection of its own and gives its rows. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Asks repeatedly on one connection, since opening one takes longer than most answers. After an error it opens another. */
export class Questions {
  private client: Client | undefined;

  constructor(private readonly url: () => Promise<string>) {}

  async ask(text: string): Promise<Record<string, unknown>[]> {
    try {
      this.client ??= await connected(await this.url());
      return (await this.client.query<Record<string, unknown>>(text)).rows;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => {});
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // Without a listener, losing the connection would end the process. The next question fails instead.
  client.on('error', () => {});
  await client.connect();
  return client;
}
