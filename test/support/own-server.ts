import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform';

/** A server that one suite has to itself, to stop it and to start it again under the same address. */
export class OwnServer {
  private constructor(
    private server: EmbeddedPostgres,
    private readonly dataDir: string,
  ) {}

  static async start(): Promise<OwnServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'curtail-test-'));
    // As root, the server's account has to get in.
    await chmod(dataDir, 0o711);
    return new OwnServer(await startEmbeddedPostgres({ dataDir, durable: false }), dataDir);
  }

  get url(): string {
    return this.server.url;
  }

  async restart(): Promise<void> {
    const { port } = this.server;
    await this.server.stop();
    this.server = await startEmbeddedPostgres({ dataDir: this.dataDir, durable: false, port });
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
