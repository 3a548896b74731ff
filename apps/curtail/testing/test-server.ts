import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a test's server received it. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Reply = (request: Seen, response: ServerResponse) => void | Promise<void>;

/** A real HTTP server with the answers of a test; it records requests. */
export class TestServer {
  readonly seen: Seen[] = [];
  /** Keyed by `GET /v1/queues`, without the query. */
  replies: Record<string, Reply> = {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestServer> {
    const server = createServer();
    const test = new TestServer(server);
    server.on('request', (request, response) => void test.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return test;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    this.seen.push(seen);
    const reply = this.replies[`${method} ${url.split('?')[0]}`] ?? problemReply(404, { title: 'Not found' });
    await reply(seen, response);
  }
}

/** A JSON answer. */
export function json(value: unknown): Reply {
  return (_, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

/** A refusal in the documented form. */
export function problemReply(status: number, members: object): Reply {
  return (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'urn:curtail:problem:test', status, ...members }));
}

/** JSON lines; with `cut` the last one has no end. */
export function lines(values: readonly unknown[], { cut = false } = {}): Reply {
  return (_, response) => {
    response.setHeader('content-type', 'application/x-ndjson');
    for (const value of values) response.write(`${JSON.stringify(value)}\n`);
    if (cut) response.destroy();
    else response.end();
  };
}
