/**
 * `node --import skewed-clock.mjs <program>`: the process has a wrong clock. CURTAIL_TEST_CLOCK_SKEW_MS holds by how many
 * milliseconds `Date` is ahead of the machine's clock; negative = behind.
 *
 * Only `Date` is shifted: `Date.now()`, `new Date()` and `Date()`. Timers and `performance` are those of the machine, as on a
 * computer whose wall clock is wrong, and so are other processes, the servers above all.
 *
 * In a test, `skewedBy(milliseconds)` of skewed-by.ts is the environment that does this to any process of node:
 *
 *     ServiceProcess.start('timer', { ...environment, ...skewedBy(600_000) })
 *     folder.start({ environment: skewedBy(-600_000) })
 */
const skewMs = Number(process.env.CURTAIL_TEST_CLOCK_SKEW_MS);
if (!Number.isSafeInteger(skewMs)) {
  throw new Error(
    'CURTAIL_TEST_CLOCK_SKEW_MS: give the skew in whole milliseconds, such as 600000 or -600000.',
  );
}

const RightDate = globalThis.Date;
const now = () => RightDate.now() + skewMs;

const WrongDate = new Proxy(RightDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RightDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
});
RightDate.prototype.constructor = WrongDate;
globalThis.Date = WrongDate;
