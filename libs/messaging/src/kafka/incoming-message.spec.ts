import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KafkaMessage } from 'kafkajs';
import { inboundTopics, topics } from '#contracts/events';
import { deliveryOf, readDelivery, stableId, typeOf } from './incoming-message.js';

const data = { partition: 'default', submission: 's-1', configuration: 'partitions: []' };
const headers = {
  ce_specversion: '1.0',
  ce_id: 'change 17',
  ce_source: '//platform/quotas',
  ce_type: 'io.curtail.config.submitted.v1',
  ce_time: '2026-11-01T00:00:00Z',
  'content-type': 'application/json; charset=utf-8',
};

function message(
  change: { headers?: Record<string, string | undefined>; value?: string | null } = {},
): KafkaMessage {
  const all = Object.entries({ ...headers, ...change.headers }).filter(([, value]) => value !== undefined);
  const value = change.value === undefined ? JSON.stringify(data) : change.value;
  return {
    key: Buffer.from('default'),
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(all.map(([name, text]) => [name, Buffer.from(text!)])),
    timestamp: '1795000000000',
    offset: '7',
    attributes: 0,
  };
}
const take = (change?: Parameters<typeof message>[0], topic = inboundTopics.submissions) =>
  deliveryOf(topic as typeof inboundTopics.submissions, 2, message(change));

/** All fields of a message of the relay. */
const ofLog = {
  ce_id: '00000000-0000-4000-8000-000000000000',
  ce_type: 'io.curtail.quota.changed.v1',
  ce_source: '/curtail/default',
  ce_partition: 'default',
  ce_transactionid: '7',
  ce_position: '1',
};

describe('a message of an external sender', () => {
  it('is an event, with an id derived from its source and its id', () => {
    const known = readDelivery(take());
    expect(known).toMatchObject({
      name: 'ConfigSubmitted',
      data,
      partition: 'default',
      key: 'default',
      source: '//platform/quotas',
      time: new Date('2026-11-01T00:00:00Z'),
    });
    expect(known.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(take().event.id).toBe(known.id);
    expect(take({ headers: { ce_id: 'change 18' } }).event.id).not.toBe(known.id);
    expect(take({ headers: { ce_source: '//elsewhere' } }).event.id).not.toBe(known.id);
  });

  it('may have headers without a value, which count as absent', () => {
    const sent = message();
    Object.assign(sent.headers!, { ce_subject: null, 'X-Other': [] });
    expect(readDelivery(deliveryOf(inboundTopics.submissions, 2, sent))).toMatchObject({
      name: 'ConfigSubmitted',
      key: 'default',
    });
  });

  it('has its type in a header, as far as it is encoded as usual', () => {
    const typeWith = (others: object) => typeOf(Object.assign(message(), { headers: others }));
    expect(typeOf(message())).toBe('io.curtail.config.submitted.v1');
    expect(typeWith({ CE_TYPE: Buffer.from('x') })).toBeUndefined();
    expect(typeWith({ ce_type: ['a', 'b'] })).toBeUndefined();
    expect(typeWith({})).toBeUndefined();
  });

  it('cannot pass for one of the log, whose place would make it count as handled', () => {
    const { event } = take({ headers: { ce_transactionid: '1', ce_position: '1' } });
    expect(event).toMatchObject({ transactionId: '0', position: '0' });
  });

  it('cannot pass for one of the log even with all its fields', () => {
    const asOurs = {
      ce_id: '00000000-0000-4000-8000-000000000000',
      ce_source: '/curtail/default',
      ce_partition: 'default',
      ce_transactionid: '1',
      ce_position: '1',
    };
    const { event } = take({ headers: asOurs });
    expect(event).toMatchObject({ transactionId: '0', position: '0', source: '/curtail/default' });
    expect(event.id).not.toBe(asOurs.ce_id);
  });

  it('is refused where only events of the log belong', () => {
    const type = { ce_type: 'io.curtail.quota.changed.v1' };
    const delivery = take({ headers: type }, topics.quota as never);
    expect(() => readDelivery(delivery)).toThrow(expect.objectContaining({ field: 'ce_source' }));
    expect(delivery.event).toMatchObject({ transactionId: '0', position: '0' });
  });

  it.each([
    ['ce_specversion', '0.3'],
    ['ce_source', '/curtail/other'],
    ['ce_id', 'change 17'],
    ['ce_transactionid', '-1'],
    ['ce_position', '1; DROP TABLE events'],
  ])('is refused there for a %s that no event of the log has', (field, wrong) => {
    const delivery = take({ headers: { ...ofLog, [field]: wrong } }, topics.quota as never);
    expect(delivery.wrong).toMatchObject({ field });
  });

  it('is there only a pointer into the log: its content is not read', () => {
    const delivery = take({ headers: ofLog, value: 'anything' }, topics.quota as never);
    expect(delivery.wrong).toBeUndefined();
    expect(delivery.event).toMatchObject({ id: ofLog.ce_id, transactionId: '7', position: '1' });
    expect(delivery.event.data).toBeUndefined();
  });

  it.each([
    ['data.submission', { ...data, submission: 's\0' }],
    ['data.configuration', { ...data, configuration: '\ud800' }],
    ['data.configuration', { ...data, configuration: { 'a\0': 1 } }],
  ])('is refused for a character in %s that cannot be stored (%#)', (field, wrong) => {
    const delivery = take({ value: JSON.stringify(wrong) });
    expect(() => readDelivery(delivery)).toThrow(expect.objectContaining({ field }));
  });

  it('may contain such characters escaped', () => {
    const written = { ...data, configuration: String.raw`# \u0000 and \ud83d\ude00 are not written out` };
    expect(readDelivery(take({ value: JSON.stringify(written) })).data).toEqual(written);
  });

  it.each([
    ['ce_specversion', { headers: { ce_specversion: '0.3' } }, 'must be 1.0'],
    ['ce_id', { headers: { ce_id: undefined } }, 'is missing'],
    ['ce_source', { headers: { ce_source: '' } }, 'is missing'],
    ['ce_type', { headers: { ce_type: 'x'.repeat(1025) } }, 'longer than 1024'],
    ['content-type', { headers: { 'content-type': 'application/cloudevents+json' } }, 'binary mode'],
    ['content-type', { headers: { 'content-type': 'application/avro' } }, 'application/json'],
    ['data', { value: null }, 'there is none'],
    ['data', { value: '{"partition":' }, 'JSON'],
    ['data.submission', { value: JSON.stringify({ ...data, submission: 7 }) }, 'must be a string'],
    ['ce_type', { headers: { ce_type: 'io.curtail.config.submitted.v9' } }, 'does not know'],
    ['ce_type', { headers: { ce_type: 'io.curtail.plan.computed.v1' } }, topics.plans],
  ])('is refused for its %s (%#)', (field, change, expected) => {
    const delivery = take(change);
    expect(() => readDelivery(delivery)).toThrow(
      expect.objectContaining({ name: 'UnreadableEvent', field, message: expect.stringContaining(expected) }),
    );
    expect(delivery.event.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has the time at which it was sent unless it has a time of its own', () => {
    expect(take({ headers: { ce_time: 'yesterday' } }).event.time).toEqual(new Date(1_795_000_000_000));
  });

  it('keeps its trace if that is one', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(take({ headers: { traceparent } }).event.traceparent).toBe(traceparent);
    expect(take({ headers: { traceparent: 'none' } }).event.traceparent).toBeNull();
    expect(take({ headers: { tracestate: 'a=b' } }).event.tracestate).toBe('a=b');
    expect(take({ headers: { tracestate: 'a=\0' } }).event.tracestate).toBeNull();
  });
});

describe('the id of a text', () => {
  const expected = (text: string): string =>
    createHash('sha1')
      .update('5f0c8a9e2d6b4b1c9d3e7a4415c0b7aa', 'hex')
      .update(text)
      .digest('hex')
      .slice(0, 8);

  it('depends on nothing but the text, however long it is and whatever was before', () => {
    for (const text of ['a', '€'.repeat(5456), 'ab', '€'.repeat(5457), 'x'.repeat(20_000), ''])
      expect(stableId(text).slice(0, 8)).toBe(expected(text));
  });
});
