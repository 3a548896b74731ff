import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { makeAuthority } from './authority.js';

describe('makeAuthority', () => {
  it('issues certificates that it has signed, for this machine and a name', async () => {
    const authority = await makeAuthority();
    const [ca, planner] = [authority.ca, (await authority.issue('planner')).cert].map(
      (text) => new X509Certificate(text),
    );
    expect(ca?.ca).toBe(true);
    expect(planner?.ca).toBe(false);
    expect(planner?.subject).toBe('CN=planner');
    expect(planner?.verify(ca!.publicKey)).toBe(true);
    expect(planner?.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(planner?.checkHost('localhost')).toBe('localhost');
    expect(planner?.checkHost('elsewhere.test')).toBeUndefined();
  });

  it('is believed by who trusts it, both ways, and by no one else', async () => {
    const authority = await makeAuthority();
    const server = createServer(
      { ...(await authority.issue('server')), ca: authority.ca, requestCert: true, rejectUnauthorized: true },
      (socket) => socket.end(String(socket.getPeerCertificate().subject.CN)),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({
      port,
      host: 'localhost',
      ca: authority.ca,
      ...(await authority.issue('timer')),
    });
    expect(String((await once(client, 'data'))[0])).toBe('timer');

    const stranger = connect({ port, host: 'localhost', ca: (await makeAuthority('another')).ca });
    await expect(once(stranger as TLSSocket, 'secureConnect')).rejects.toThrow(/certificate|signature/);
    await new Promise((resolve) => server.close(resolve));
  });
});
