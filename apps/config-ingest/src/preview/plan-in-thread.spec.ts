import { describe, expect, it } from '@jest/globals';
import { PlanInThread, type PlanQuestion } from './plan-in-thread.js';

const limits = { previewSeconds: 60, previewMegabytes: 32 };
const program = (answer: string) => ({
  file: new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { ${answer} });`)}`,
  ),
});
const question = {} as PlanQuestion;

function planner(answer: string, over: Partial<typeof limits> = {}): PlanInThread {
  const apart = new PlanInThread({ ...limits, ...over });
  apart.use(program(answer));
  return apart;
}

describe('a preview', () => {
  it('has the plans of the thread, and what cannot be planned as bad input', async () => {
    const made = planner('parentPort.postMessage({ plan: { outcome: "satisfied", victims: [] } })');
    expect(await made.preview((plan) => plan(question))).toEqual({ outcome: 'satisfied', victims: [] });
    const refused = planner('parentPort.postMessage({ fault: { path: "nodes", message: "none" } })');
    await expect(refused.preview((plan) => plan(question))).rejects.toMatchObject({
      name: 'InputError',
      path: 'nodes',
      message: 'none',
    });
  });

  it('that takes too long is ended, and shows what to do', async () => {
    const silent = planner('', { previewSeconds: 0.05 });
    await expect(silent.preview((plan) => plan(question))).rejects.toMatchObject({
      problem: {
        type: 'urn:curtail:problem:preview-too-long',
        status: 503,
        remedy: 'Change fewer quotas at once.',
      },
    });
  });

  it('that needs too much memory is ended, and shows what to do', async () => {
    const greedy = planner('for (const kept = []; ; ) kept.push(new Array(1e5).fill(1));');
    await expect(greedy.preview((plan) => plan(question))).rejects.toMatchObject({
      problem: {
        type: 'urn:curtail:problem:preview-too-large',
        status: 422,
        detail: expect.stringContaining('32 MB'),
        remedy: expect.stringContaining('CURTAIL_PREVIEW_MEGABYTES'),
      },
    });
  });

  const client = (gone: AbortSignal, name = 'ann', isOperator = true) => ({ name, isOperator, gone });

  it('ends with its client, also while it waits for its turn', async () => {
    const silent = planner('');
    const clients = [new AbortController(), new AbortController()];
    const [first, second] = clients.map(({ signal }) =>
      silent.preview((plan) => plan(question), client(signal)),
    );
    clients[1]!.abort();
    await expect(second).rejects.toMatchObject({ problem: { type: 'urn:curtail:problem:client-left' } });
    clients[0]!.abort();
    await expect(first).rejects.toMatchObject({ problem: { type: 'urn:curtail:problem:client-left' } });
    expect(await silent.preview(async () => 'next')).toBe('next');
  });

  it('has to come again where too many of all callers wait', async () => {
    const silent = planner('');
    const clients = Array.from({ length: 8 }, () => new AbortController());
    const waiting = clients.map(({ signal }) =>
      silent.preview((plan) => plan(question), client(signal)).catch(() => 'left'),
    );
    await expect(silent.preview(async () => 'ninth')).rejects.toMatchObject({
      problem: { type: 'urn:curtail:problem:busy', title: 'Too many previews at once', status: 503 },
    });
    for (const client of clients) client.abort();
    expect(await Promise.all(waiting)).toEqual(clients.map(() => 'left'));
  });

  it('of an operator waits for none of a team, whose own are limited', async () => {
    const held = planner('');
    const team = new AbortController();
    const ofTeam = () => held.preview((plan) => plan(question), client(team.signal, 'team web', false));
    const waiting = [ofTeam(), ofTeam()].map((preview) => preview.catch(() => 'left'));
    await expect(ofTeam()).rejects.toMatchObject({
      problem: { type: 'urn:curtail:problem:too-many-at-once', status: 429 },
    });
    expect(await held.preview(async () => 'at once')).toBe('at once');
    team.abort();
    expect(await Promise.all(waiting)).toEqual(['left', 'left']);
  });
});
