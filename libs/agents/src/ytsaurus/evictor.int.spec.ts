import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeYtsaurus, YtFault } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import type { FakeJob, FakeOperation } from '../../../../test/clusters/ytsaurus/world.js';
import type { AnnouncedToAgent, RequestToAgent } from '../port.js';
import { JobEvictor } from './evictor.js';
import { YtApi } from './yt-api.js';

describe('the evictor of jobs', () => {
  let fake: FakeYtsaurus;
  let api: YtApi;
  let evictor: JobEvictor;
  let operation: FakeOperation;
  let job: FakeJob;
  let timeoutMs: number;
  let elapsed: number;
  let mode: 'observe' | 'enforce';
  const troubles: string[] = [];
  const wallClock = Date.parse('2026-11-29T12:00:00.000Z');

  const evictorOf = () =>
    new JobEvictor(api, {
      mode: () => mode,
      preemptionTimeoutMs: () => timeoutMs,
      queueOf: () => undefined,
      operationOf: () => operation.id,
      now: () => new Date(wallClock + elapsed),
      elapsed: () => elapsed,
      onTrouble: (what) => troubles.push(what),
    });
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.world.addTree('physical');
    fake.world.addPool('physical', 'prod');
    fake.world.addNode('n1:9012', { cpu: 10, memory: 1000, user_slots: 10 }, 'physical');
    operation = fake.world.addOperation({ pool: 'prod', job: { cpu: 1 }, pending: 2, retries: false });
    operation.finishesAfterMs = 1_000_000;
    [job] = fake.world.running(operation) as [FakeJob];
    [timeoutMs, elapsed, mode] = [10_000, 0, 'enforce'];
    api = new YtApi({ url: fake.url, token: async () => 't' });
    evictor = evictorOf();
    troubles.length = 0;
  });
  afterEach(async () => {
    api.close();
    await fake.down();
  });

  const request = (further: Partial<RequestToAgent> = {}): RequestToAgent => ({
    partition: 'physical',
    queue: 'root.prod',
    application: operation.id,
    allocation: job.id,
    uid: job.id,
    evictionId: 'eviction-1',
    attempt: 1,
    graceSeconds: 0,
    deadlineAt: '2100-01-01T00:00:00.000Z',
    reason: 'a test',
    ...further,
  });
  const announcement = (further: Partial<AnnouncedToAgent> = {}): AnnouncedToAgent => ({
    partition: 'physical',
    queue: 'root.prod',
    application: operation.id,
    allocation: job.id,
    uid: job.id,
    killAt: '2026-11-29T12:00:08.000Z',
    reason: 'a test',
    ...further,
  });
  const aborts = () =>
    fake
      .callsOf('abort_job')
      .map(({ job_id, interrupt_timeout, retry }) => [job_id, interrupt_timeout, retry]);
  const ids = () => new Set(fake.callsOf('abort_job').map(({ mutation_id }) => mutation_id));

  it('interrupts a job for its time to finish, and aborts it when that is over', async () => {
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted' });
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted', repeated: true });
    expect(aborts()).toEqual([[job.id, 10_000, false]]);
    elapsed = 14_000;
    await evictor.followUp(() => true);
    expect(aborts()).toHaveLength(1);
    elapsed = 15_000;
    await evictor.followUp(() => true);
    expect(aborts().slice(1)).toEqual([[job.id, undefined, false]]);
    expect(ids().size).toBe(2);
    expect(job.state).toBe('aborted');
  });

  it('gives the time of the request where it has one, and none where the tree gives none', async () => {
    await evictor.evict(request({ graceSeconds: 2.5 }));
    timeoutMs = 0;
    const [, second] = [...operation.jobs];
    await evictor.evict(request({ allocation: second, uid: second, evictionId: 'eviction-2' }));
    expect(aborts()).toEqual([
      [job.id, 2500, false],
      [second, undefined, false],
    ]);
  });

  it('interrupts a job when its eviction is announced, for the time that is left, and aborts it at the eviction', async () => {
    elapsed = 500;
    await evictor.announce(announcement());
    await evictor.announce(announcement());
    expect(aborts()).toEqual([[job.id, 7500, false]]);
    expect(evictor.isEnding(job.id)).toBe(false);
    elapsed = 8000;
    await evictor.followUp(() => true);
    expect(aborts()).toHaveLength(1);
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted' });
    expect(aborts().slice(1)).toEqual([[job.id, undefined, false]]);
    expect([job.state, ids().size]).toEqual(['aborted', 2]);
  });

  it('counts a job as evicted that has finished within its time, and as gone if it was never asked', async () => {
    await evictor.announce(announcement());
    fake.world.endJob(job, 'completed');
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted', repeated: true });
    const [, second] = [...fake.world.jobs.values()] as [FakeJob, FakeJob];
    const other = { allocation: second.id, uid: second.id };
    fake.world.endJob(second, 'completed');
    await evictor.announce(announcement(other));
    expect(await evictor.evict(request(other))).toEqual({ answer: 'gone' });
    expect(aborts()).toHaveLength(1);
  });

  it('asks a job again at the next look that could not be asked, under the same mutation id, while there is time', async () => {
    fake.trouble = ({ command }) =>
      command === 'abort_job' ? { fault: new YtFault(105, 'Proxy is not available', [], 503) } : undefined;
    await evictor.announce(announcement());
    expect(troubles).toEqual(['Could not ask a job to finish before its eviction']);
    const refused = aborts().length;
    fake.trouble = () => undefined;
    elapsed = 5000;
    await evictor.followUp(() => true);
    await evictor.followUp(() => true);
    expect(aborts().slice(refused)).toEqual([[job.id, 3000, true]]);
    expect(ids().size).toBe(1);
  });

  it('gives a job its time with the eviction where no announcement arrived in time', async () => {
    await evictor.announce(announcement({ killAt: '2026-11-29T12:00:00.000Z' }));
    expect(aborts()).toEqual([]);
    await evictor.evict(request());
    expect(aborts()).toEqual([[job.id, 10_000, false]]);
  });

  it('leaves a job its time that takes no interrupt, and then aborts it', async () => {
    operation.finishesAfterMs = undefined;
    await evictor.announce(announcement());
    expect(job.state).toBe('running');
    await evictor.evict(request());
    expect(aborts()).toEqual([
      [job.id, 8000, false],
      [job.id, undefined, false],
    ]);
    expect(troubles).toEqual([]);
  });

  it('announces nothing in observe, of another incarnation, or of what is no job', async () => {
    await evictor.announce(announcement({ uid: 'another' }));
    await evictor.announce(announcement({ allocation: 'pod-1', uid: 'pod-1' }));
    mode = 'observe';
    await evictor.announce(announcement());
    expect(fake.callsOf('abort_job')).toEqual([]);
  });

  it.each([203, 1135, 4419, 1916])('takes %i for a job that has ended by itself', async (code) => {
    fake.noSuchJob = code;
    fake.trouble = ({ command }) =>
      command === 'abort_job'
        ? { fault: new YtFault(1, 'Error aborting job', [new YtFault(code, 'No such job')]) }
        : undefined;
    expect(await evictor.evict(request())).toEqual({ answer: 'gone' });
    fake.trouble = () => undefined;
    fake.world.endOperation(operation);
    fake.world.operations.delete(operation.id);
    expect(await evictor.evict(request())).toEqual({ answer: 'gone' });
  });

  it.each([
    ['an unavailable proxy', new YtFault(105, 'unavailable', [], 503)],
    ['a conflict of transactions', new YtFault(1, 'Error', [new YtFault(1700, 'Transaction lock conflict')])],
  ])('repeats after %s under the same mutation id, marked as a repetition', async (_what, fault) => {
    let troubles = 2;
    fake.trouble = ({ command }) => (command === 'abort_job' && troubles-- > 0 ? { fault } : undefined);
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted' });
    expect(aborts().map(([, , retry]) => retry)).toEqual([false, true, true]);
    expect(ids().size).toBe(1);
  });

  it('knows that it was done when its answer was lost and the repetition finds no job', async () => {
    timeoutMs = 0;
    fake.trouble = ({ command }) => (command === 'abort_job' ? { losesAnswer: true } : undefined);
    const lost = evictor.evict(request());
    await expect(lost).resolves.toEqual({ answer: 'accepted', repeated: true });
    expect(job.state).toBe('aborted');
    expect(ids().size).toBe(1);
  });

  it('repeats the request of an agent before it under the same mutation id', async () => {
    timeoutMs = 0;
    await evictor.evict(request());
    const [before] = ids();
    expect(await evictorOf().evict(request({ attempt: 2 }))).toEqual({ answer: 'accepted', repeated: true });
    const [, second] = [...fake.world.jobs.values()];
    const other = request({ allocation: second?.id, uid: second?.id, attempt: 2 });
    expect(await evictorOf().evict(other)).toEqual({ answer: 'accepted', repeated: true });
    expect(aborts()).toEqual([
      [job.id, undefined, false],
      [second?.id, undefined, true],
    ]);
    expect(ids()).toEqual(new Set([before]));
  });

  it('marks a repetition that it did not know for one, and does not abort the job that has its time to finish', async () => {
    fake.keepsAborts = true;
    await evictor.evict(request());
    expect(await evictorOf().evict(request())).toEqual({ answer: 'accepted' });
    expect(aborts()).toEqual([
      [job.id, 10_000, false],
      [job.id, 10_000, false],
      [job.id, 10_000, true],
    ]);
    expect(ids().size).toBe(1);
    expect(job.state).toBe('running');
  });

  it('looks at a job again that takes no interrupt, and aborts it if it still runs', async () => {
    operation.finishesAfterMs = undefined;
    expect(await evictor.evict(request())).toEqual({ answer: 'accepted' });
    expect(aborts()).toEqual([
      [job.id, 10_000, false],
      [job.id, undefined, false],
    ]);
    const [second] = [...operation.jobs];
    const ended = fake.world.jobs.get(second ?? '');
    fake.trouble = ({ command }) => {
      if (command !== 'abort_job' || ended === undefined) return undefined;
      fake.world.endJob(ended, 'completed');
      return { fault: new YtFault(1, 'Error interrupting job') };
    };
    expect(
      await evictor.evict(request({ allocation: second, uid: second, evictionId: 'eviction-2' })),
    ).toEqual({
      answer: 'accepted',
      repeated: true,
    });
    expect(aborts()).toHaveLength(3);
  });

  it('is refused without the right to manage, in observe, and for what is no job', async () => {
    fake.withoutManage.add('curtail');
    expect(await evictor.evict(request())).toMatchObject({
      answer: 'refused',
      retryable: false,
      code: 'forbidden',
    });
    mode = 'observe';
    expect(await evictor.evict(request())).toMatchObject({ answer: 'refused', code: 'observe' });
    mode = 'enforce';
    expect(await evictor.evict(request({ allocation: 'pod-1', uid: 'pod-1' }))).toMatchObject({
      code: 'no-job',
    });
    expect(await evictor.evict(request({ uid: 'another' }))).toEqual({
      answer: 'other-incarnation',
      uid: job.id,
    });
    expect(job.state).toBe('running');
  });

  it('aborts nothing when the request is no longer valid, or the state of the job is not known', async () => {
    await expect(evictor.evict(request(), () => false)).rejects.toMatchObject({ code: 'request-expired' });
    fake.trouble = ({ command }) =>
      command === 'get_job' ? { fault: new YtFault(100, 'transport', [], 503) } : undefined;
    await expect(evictor.evict(request())).rejects.toMatchObject({ status: 503 });
    expect(aborts()).toEqual([]);
  });
});
