import { expect, it } from '@jest/globals';
import { NoAnswerError, ServerError } from '../server/server-error.js';
import { whileAway } from './scenario-server.js';

const busy = new ServerError({ status: 503, detail: 'The database is unavailable.' });

/** Fails with each of these in turn, then answers. */
const failing =
  (...errors: Error[]) =>
  async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'there';
  };

it('asks again while the server or its database is away, and reports it once', async () => {
  const reported: string[] = [];
  const read = failing(busy, new NoAnswerError('no one listens'));
  expect(await whileAway(read, (why) => reported.push(why), performance.now() + 60_000)).toBe('there');
  expect(reported).toEqual(['The database is unavailable.']);
});

it('throws what is no absence at once, and an absence that is too long', async () => {
  const refused = new ServerError({ status: 422, detail: 'No.' });
  const nothing = () => {};
  await expect(whileAway(failing(refused), nothing, performance.now() + 60_000)).rejects.toBe(refused);
  await expect(whileAway(failing(busy), nothing, performance.now())).rejects.toBe(busy);
});
