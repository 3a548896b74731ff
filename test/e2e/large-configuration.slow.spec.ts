import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder } from '../support/curtail-process.js';

/** A configuration of so many queues, as YAML. */
function withQueues(count: number): string {
  const queues = Array.from(
    { length: count },
    (_, i) => `        - name: q${i}\n          resources: { max: { memory: 400Gi, vcore: 100 } }\n`,
  );
  return `partitions:\n  - name: default\n    queues:\n      - name: root\n        queues:\n${queues.join('')}`;
}

describe('a large configuration', () => {
  let folder: CurtailFolder;
  let url: string;
  beforeAll(async () => {
    folder = await CurtailFolder.create();
    ({ url } = await folder.start({ environment: { CURTAIL_SAMPLE: 'yes' } }));
  });
  afterAll(() => folder.remove());

  const preview = (body: string) =>
    fetch(`${url}/v1/partitions/default/config?dryRun=true`, {
      method: 'PUT',
      body,
      headers: { 'Content-Type': 'application/yaml' },
    });

  it('holds up no one while it is read', async () => {
    let isRead = false;
    const answer = preview(withQueues(10_000)).finally(() => {
      isRead = true;
    });
    let answeredMeanwhile = 0;
    while (!isRead) {
      await fetch(`${url}/healthz`);
      if (!isRead) answeredMeanwhile++;
    }
    const { changed } = (await (await answer).json()) as { changed: { queue: string }[] };
    expect(changed.filter(({ queue }) => queue !== 'root')).toHaveLength(10_000);
    expect(answeredMeanwhile).toBeGreaterThan(10);
  });

  it('has its victims planned in the thread that the build brings', async () => {
    const answer = await preview(await readFile('examples/queues-lowered.yaml', 'utf8'));
    expect(await answer.json()).toMatchObject({ victims: 10 });
  });

  it('with a fault is refused with the line of the fault', async () => {
    const response = await preview(`${withQueues(1000)}        - nmae: z\n`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ line: 2006, message: expect.any(String) })]),
    });
  });

  it('is asked to retry when many others wait already', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => preview(withQueues(1000))));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    const refused = answers.find(({ status }) => status === 503);
    expect(await refused?.json()).toMatchObject({ type: 'urn:curtail:problem:busy', retryAfterSeconds: 5 });
  });
});
