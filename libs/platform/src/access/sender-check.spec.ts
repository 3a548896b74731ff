import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FlattenedSign } from 'jose';
import { inboundTopics } from '#contracts/events';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { signedBytes, signMessage } from '../signing/message-signature.js';
import { SigningKey } from '../signing/signing-key.js';
import { faultText, RefusedFile } from './checked-file.js';
import { readPolicy } from './policy-file.js';
import { type OutsideMessage, SenderCheck } from './sender-check.js';

const pairs = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const pem = (key: KeyObject) => String(key.export({ type: 'spki', format: 'pem' }));
const topicName = `test.${inboundTopics.inventory}`;
const now = Date.parse('2026-01-02T00:00:00Z');
const headers = {
  ce_id: '1',
  ce_source: '/s',
  ce_type: 'io.curtail.inventory.confirmed.v1',
  ce_time: '2026-01-01T23:59:00Z',
};
const value = '{"partition":"Default"}';
const bytesOn = (topic: string) => signedBytes({ topic, key: 'k', headers, value })!;
const bytes = bytesOn(topicName);

async function policyOf(senders: unknown) {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'policy.json');
  writeFileSync(file, JSON.stringify({ senders }));
  try {
    return readPolicy(file).senders!;
  } finally {
    await folder.remove();
  }
}

async function checkOf(
  signature: string | undefined,
  more: Partial<OutsideMessage> = {},
  sender: object = {},
) {
  const keys = Object.values(pairs).map(({ publicKey }) => pem(publicKey));
  const senders = await policyOf([
    { subject: 'agent', sends: ['reports'], partitions: ['default'], keys, ...sender },
  ]);
  const check = new SenderCheck({
    senders: () => senders,
    ...{ prefix: 'test.', validMs: 3_600_000, now: () => now },
    partitionsOf: async () => new Map(),
  });
  const all = new Map<string, string>(Object.entries(headers));
  if (signature !== undefined) all.set('curtail_signature', signature);
  const [found] = (await check.check([
    {
      ...{ topic: inboundTopics.inventory, topicName, key: 'k', headers: all },
      ...{ value: Buffer.from(value), data: JSON.parse(value), ...more },
    },
  ]))!;
  return found!;
}

async function signedBy(alg: keyof typeof pairs, header: object = {}, over = bytes): Promise<string> {
  const { protected: head, signature } = await new FlattenedSign(over)
    .setProtectedHeader({ alg, kid: 'agent', ...header })
    .sign(pairs[alg].privateKey);
  return `${head}..${signature}`;
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

describe('the sender of a message', () => {
  it.each(Object.keys(pairs) as (keyof typeof pairs)[])('is known by a signature with %s', async (alg) => {
    expect(await checkOf(await signedBy(alg))).toEqual({ sender: 'agent' });
  });

  it('is known by a signature over the bytes as they are (RFC 7797), and by the thumbprint of the key', async () => {
    expect(await checkOf(await signedBy('ES256', { b64: false, crit: ['b64'] }))).toEqual({
      sender: 'agent',
    });
    const key = SigningKey.of(String(pairs.EdDSA.privateKey.export({ type: 'pkcs8', format: 'pem' })));
    const signature = signMessage(key, { topic: topicName, key: 'k', headers, value });
    expect(await checkOf(signature)).toEqual({ sender: 'agent' });
  });

  it('is not known by no signature, by alg none, or by a secret that is the public key', async () => {
    const none = `${base64url('{"alg":"none","kid":"agent"}')}..${base64url('x')}`;
    const head = base64url('{"alg":"HS256","kid":"agent"}');
    const mac = createHmac('sha256', pem(pairs.PS256.publicKey))
      .update(`${head}.${Buffer.from(bytes).toString('base64url')}`)
      .digest('base64url');
    for (const signature of [
      undefined,
      '',
      'a.b.c',
      none,
      `${head}..${mac}`,
      `${head}.x.${mac}`,
      '..',
      'a..b',
    ])
      expect(await checkOf(signature)).toMatchObject({ field: 'curtail_signature' });
  });

  it('is refused by a signature that is too old, or from a time to come', async () => {
    for (const ce_time of ['2026-01-01T22:59:00Z', '2026-01-02T02:00:00Z', 'soon']) {
      const other = { ...headers, ce_time };
      const payload = signedBytes({ topic: topicName, key: 'k', headers: other, value })!;
      const { protected: head, signature } = await new FlattenedSign(payload)
        .setProtectedHeader({ alg: 'EdDSA', kid: 'agent' })
        .sign(pairs.EdDSA.privateKey);
      const all = new Map(Object.entries({ ...other, curtail_signature: `${head}..${signature}` }));
      expect(await checkOf(undefined, { headers: all })).toMatchObject({ field: 'ce_time' });
    }
  });

  it('is that of its own topic, and nobody on a topic that belongs to no one', async () => {
    const own = { topic: 'agent-1', keys: undefined };
    expect(await checkOf(undefined, { topicName: `${topicName}.agent-1` }, own)).toEqual({ sender: 'agent' });
    expect(await checkOf(undefined, { topicName: `${topicName}.agent-2` }, own)).toMatchObject({
      field: 'topic',
    });
    expect(await checkOf(undefined, {}, own)).toMatchObject({ field: 'curtail_signature' });
  });

  it('may send only for its partitions, and an answer only to what was requested there', async () => {
    const data = { partition: 'other' };
    expect(await checkOf(await signedBy('EdDSA'), { data })).toMatchObject({ field: 'data.partition' });
    expect(await checkOf(await signedBy('EdDSA'), { data: {} })).toMatchObject({ field: 'data.partition' });
    const answers = { sends: ['answers'] };
    const topic = inboundTopics.evictionAnswers;
    const answer = { topic, topicName: `test.${topic}`, data: { evictionId: 'unknown' } };
    expect(
      await checkOf(await signedBy('EdDSA', {}, bytesOn(answer.topicName)), answer, answers),
    ).toMatchObject({
      field: 'data.evictionId',
    });
  });
});

describe('the senders of a policy file', () => {
  it.each([
    [
      'no key and no topic',
      { keys: undefined },
      'senders[0].keys: a sender must have keys, or a topic of its own',
    ],
    [
      'a private key',
      { keys: [String(pairs.EdDSA.privateKey.export({ type: 'pkcs8', format: 'pem' }))] },
      'senders[0].keys[0]: it is a private key',
    ],
    ['no key', { keys: ['marked-secret'] }, 'senders[0].keys[0]: it must be a public key in PEM'],
    ['a queue of reports', { queue: 'root.a' }, 'senders[0].queue: it limits submissions'],
    ['another word', { sends: ['all'] }, 'senders[0].sends[0]'],
  ])('are refused with %s', async (_, wrong, message) => {
    const one = { subject: 'a', sends: ['reports'], keys: [pem(pairs.EdDSA.publicKey)], ...wrong };
    const error = await policyOf([one]).then(
      () => undefined,
      (refused: RefusedFile) => refused,
    );
    expect(error).toBeInstanceOf(RefusedFile);
    expect(error!.faults.map((fault) => faultText('policy.json', fault)).join('\n')).toContain(message);
    expect(error!.message).not.toContain('marked-secret');
  });

  it('are refused where two have one key', async () => {
    const one = { sends: ['reports'], keys: [pem(pairs.EdDSA.publicKey)] };
    await expect(
      policyOf([
        { subject: 'a', ...one },
        { subject: 'b', ...one },
      ]),
    ).rejects.toThrow('senders[1].keys[0]: it is that of a, too');
  });
});
