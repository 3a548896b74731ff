// A flood of requests without the token, from a process of its own: node flood.mjs URL PER_SECOND [ADDRESS], from that address. It sends until it is killed, and
// writes the number of answers by status as lines of JSON. Half of the requests come on connections that are kept, half on new
// ones; some carry a body, some a wrong token. On a slow machine it sends less, so that it does not run out of open files.
import { Agent, request } from 'node:http';

const [, , url, perSecond, localAddress] = process.argv;
const kept = new Agent({ keepAlive: true, maxSockets: 50 });
const paths = ['/v1/queues', '/v1/kill-switch', '/metrics', '/nowhere'];
const statuses = {};
const mostWaiting = 2000;
let sent = 0;
let ended = 0;

function send(number) {
  const isWrite = number % 4 === 1;
  const body = isWrite ? JSON.stringify({ reason: 'x'.repeat(500) }) : undefined;
  const done = (status) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const outgoing = request(
    url + paths[number % paths.length],
    {
      method: isWrite ? 'POST' : 'GET',
      agent: number % 2 === 0 ? kept : false,
      localAddress,
      headers: {
        ...(number % 3 === 0 ? { authorization: 'Bearer not-the-token-of-this-one' } : {}),
        ...(body ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
      },
    },
    (response) => {
      response.resume();
      response.once('close', () => done(response.statusCode));
    },
  );
  outgoing.once('error', (error) => done(error.code ?? 'error'));
  outgoing.once('close', () => {
    ended++;
  });
  outgoing.end(body);
}

const began = performance.now();
setInterval(() => {
  const due = ((performance.now() - began) / 1000) * Number(perSecond);
  for (; sent < due && sent - ended < mostWaiting; sent++) send(sent);
}, 10);
setInterval(() => process.stdout.write(`${JSON.stringify(statuses)}\n`), 100);
