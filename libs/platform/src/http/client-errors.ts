import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problem } from '../problems/problem.js';

/** Errors of Node before there is a request: its code, and the status and message of the answer. */
const refusals: Record<string, [status: number, code: string, detail: string, remedy: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'headers-too-large',
    'The headers of the request are too large.',
    'Send smaller headers.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'request-timeout',
    'The request did not arrive completely in time.',
    'Send it again, faster.',
  ],
};
const malformed: [number, string, string, string] = [
  400,
  'malformed-request',
  'The request is not valid HTTP.',
  'Send it with an ordinary HTTP client.',
];

/** Answers a connection without a readable request; a listener of `clientError`. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail, remedy] = refusals[error.code ?? ''] ?? malformed;
  const title = STATUS_CODES[status]!;
  const body = JSON.stringify(problem({ code, title, status, detail, remedy }));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
